import type { Locale } from '@floorpass/languages/locales'
import type { MailContent, MailLink } from '@floorpass/languages/types'
import { palette } from './palette.ts'

type EmailContent = MailContent & {
  locale: Locale
  appName: string
  baseUrl: string
  greeting: string
  reason: string
  copyLink: string
  support: MailLink | undefined
  linkLabel: (label: string) => string
}

const { light, dark } = palette

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const NARROW = `@media (max-width: 480px) {
  .frame { padding: 24px 12px !important }
  .card { padding: 28px 20px !important }
}`

const DARK = `:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (prefers-color-scheme: dark) {
  .canvas { background: ${dark.canvas} !important }
  .card { background: ${dark.surface} !important; border-color: ${dark.line} !important }
  .ink { color: ${dark.ink} !important }
  .soft { color: ${dark['ink-soft']} !important }
  .rule { border-color: ${dark.line} !important }
  .button { background: ${dark.accent} !important; color: ${dark['on-accent']} !important }
  .link { color: ${dark.accent} !important }
}`

/** Reads well by itself: the heading first, one line per item of a list, each link alone on its line. */
export function renderText(email: EmailContent) {
  const { heading, greeting, paragraphs, list, action, secondAction, footnote, reason, appName, baseUrl, linkLabel, support } =
    email
  const items = list && [list.title, ...list.items.map((item) => `- ${item}`)].join('\n')
  const links = [action, secondAction, support]
    .filter((link) => link !== undefined)
    .map(({ label, url }) => `${linkLabel(label)}\n${url}`)
  // Mail programs know a signature by the space behind its dashes.
  const signature = `-- \n${appName}\n${new URL(baseUrl).host}\n${reason}`
  return `${[heading, greeting, ...paragraphs, items, ...links, footnote, signature].filter(Boolean).join('\n\n')}\n`
}

/** No picture, no tracking, nothing remote. A colour and its background stand together: programs that invert colours keep the contrast. */
export function renderHtml(email: EmailContent) {
  const {
    locale,
    subject,
    preheader,
    heading,
    greeting,
    paragraphs,
    list,
    action,
    secondAction,
    footnote,
    appName,
    copyLink,
    support,
  } = email
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeHtml(subject)}</title>
<style>${NARROW}</style>
<style>${DARK}</style>
</head>
<body class="canvas" style="margin:0;background:${light.canvas}">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(preheader)}${'&#847;&zwnj;&nbsp;'.repeat(60)}</div>
<div class="canvas frame" role="article" lang="${locale}" aria-label="${escapeHtml(subject)}" style="background:${light.canvas};padding:40px 16px;font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;-webkit-text-size-adjust:100%">
<!--[if mso]><table role="presentation" width="560" align="center" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<div style="max-width:560px;margin:0 auto">
<p class="ink" style="margin:0 0 20px 4px;color:${light.ink};font-size:18px;line-height:28px;font-weight:600;letter-spacing:-0.02em">${MARK}${escapeHtml(appName)}</p>
<div class="card" style="padding:36px 32px;background:${light.surface};border:1px solid ${light.line};border-radius:12px">
<h1 class="ink" style="margin:0 0 20px;color:${light.ink};font-size:24px;line-height:31px;font-weight:600;letter-spacing:-0.02em;overflow-wrap:anywhere">${escapeHtml(heading)}</h1>
${[greeting, ...paragraphs].map(htmlParagraph).join('\n')}
${list ? htmlList(list) : ''}
${action ? htmlButton(action) : ''}
${secondAction ? htmlLink(secondAction) : ''}
${support ? htmlLink(support) : ''}
${footnote ? htmlFootnote(footnote) : ''}
${action ? htmlFallback(copyLink, action.url) : ''}
</div>
${htmlFooter(email)}
</div>
<!--[if mso]></td></tr></table><![endif]-->
</div>
</body>
</html>
`
}

const STEP = `display:inline-block;width:3px;height:4px;border-left:2px solid #ffffff;border-top:2px solid #ffffff;vertical-align:top`

// The step line of the pages, from borders: most mail programs show neither SVG nor remote pictures.
const MARK = `<!--[if !mso]><!--><span aria-hidden="true" style="display:inline-block;box-sizing:border-box;width:28px;height:28px;margin-right:10px;padding:6px 0 0 6px;border-radius:6px;background:${light.accent};font-size:0;line-height:0;vertical-align:top">${[9, 5, 1].map((top) => `<span style="${STEP};margin-top:${top}px"></span>`).join('')}</span><!--<![endif]-->`

const htmlParagraph = (text: string) =>
  `<p class="ink" style="margin:0 0 16px;color:${light.ink};font-size:16px;line-height:26px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`

const htmlList = ({ title, items }: { title: string; items: string[] }) =>
  `${htmlParagraph(title)}
<ul class="ink" style="margin:0 0 16px;padding-left:22px;color:${light.ink};font-size:16px;line-height:26px;overflow-wrap:anywhere">
${items.map((item) => `<li style="margin:0 0 6px">${escapeHtml(item)}</li>`).join('\n')}
</ul>`

const htmlButton = ({ label, url }: MailLink) =>
  `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:28px 0;border-collapse:separate"><tr><td class="button" style="background:${light.accent};border-radius:6px;mso-padding-alt:13px 24px"><a class="button" href="${escapeHtml(url)}" style="display:inline-block;padding:13px 24px;background:${light.accent};border-radius:6px;color:${light['on-accent']};font-size:16px;line-height:22px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></td></tr></table>`

const htmlLink = ({ label, url }: MailLink) =>
  `<p style="margin:-8px 0 28px;font-size:16px;line-height:26px"><a class="link" href="${escapeHtml(url)}" style="color:${light.accent};text-decoration:underline">${escapeHtml(label)}</a></p>`

const htmlFootnote = (text: string) =>
  `<p class="soft rule" style="margin:28px 0 0;padding-top:20px;border-top:1px solid ${light.line};color:${light['ink-soft']};font-size:14px;line-height:22px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`

const htmlFallback = (text: string, url: string) =>
  `<p class="soft" style="margin:16px 0 0;color:${light['ink-soft']};font-size:13px;line-height:20px">${escapeHtml(text)}<br><a class="soft" href="${escapeHtml(url)}" style="color:${light['ink-soft']};word-break:break-all">${escapeHtml(url)}</a></p>`

const htmlFooter = ({ appName, baseUrl, reason }: EmailContent) =>
  `<p class="soft" style="margin:20px 4px 0;color:${light['ink-soft']};font-size:13px;line-height:20px;overflow-wrap:anywhere">${escapeHtml(reason)}<br>${escapeHtml(appName)} · <a class="soft" href="${escapeHtml(baseUrl)}" style="color:${light['ink-soft']}">${escapeHtml(new URL(baseUrl).host)}</a></p>`

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
