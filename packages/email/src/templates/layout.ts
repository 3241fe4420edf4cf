import type { Locale } from '@floorpass/languages/locales'
import type { MailContent, MailLink } from '@floorpass/languages/types'
import type { MailColors } from './palette.ts'

type EmailContent = MailContent & {
  locale: Locale
  appName: string
  baseUrl: string
  greeting: string
  reason: string
  /** The user's own words. */
  phrase: string | undefined
  /** Says until when withdrawals are on hold. */
  held: string | undefined
  panic: (MailLink & { text: string }) | undefined
  copyLink: string
  support: MailLink | undefined
  linkLabel: (label: string) => string
  colors: { light: MailColors; dark: MailColors }
  showsMark: boolean
  /** The operator's own lines. */
  footer: readonly string[]
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const NARROW = `@media (max-width: 480px) {
  .frame { padding: 24px 12px !important }
  .card { padding: 28px 20px !important }
}`

const darkStyle = (dark: MailColors) => `:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (prefers-color-scheme: dark) {
  .canvas { background: ${dark.canvas} !important }
  .card { background: ${dark.surface} !important; border-color: ${dark.line} !important }
  .ink { color: ${dark.ink} !important }
  .soft { color: ${dark.inkSoft} !important }
  .rule { border-color: ${dark.line} !important }
  .button { background: ${dark.accent} !important; color: ${dark.onAccent} !important }
  .link { color: ${dark.accent} !important }
}`

/** Reads well by itself: the heading first, one line per item of a list, each link alone on its line. */
export function renderText(email: EmailContent) {
  const {
    heading,
    greeting,
    paragraphs,
    list,
    action,
    secondAction,
    footnote,
    reason,
    appName,
    baseUrl,
    linkLabel,
    support,
    footer,
    phrase,
    held,
    panic,
  } = email
  const items = list && [list.title, ...list.items.map((item) => `- ${item}`)].join('\n')
  const links = [action, secondAction, support]
    .filter((link) => link !== undefined)
    .map(({ label, url }) => `${linkLabel(label)}\n${url}`)
  // Mail programs know a signature by the space behind its dashes.
  const signature = `-- \n${appName}\n${[new URL(baseUrl).host, reason, ...footer].join('\n')}`
  const panicLink = panic && `${panic.text}\n${panic.url}`
  return `${[heading, phrase, greeting, ...paragraphs, held, items, ...links, footnote, panicLink, signature].filter(Boolean).join('\n\n')}\n`
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
    phrase,
    held,
    panic,
  } = email
  const { light, dark } = email.colors
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
<style>${darkStyle(dark)}</style>
</head>
<body class="canvas" style="margin:0;background:${light.canvas}">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(preheader)}${'&#847;&zwnj;&nbsp;'.repeat(60)}</div>
<div class="canvas frame" role="article" lang="${locale}" aria-label="${escapeHtml(subject)}" style="background:${light.canvas};padding:40px 16px;font-family:ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;-webkit-text-size-adjust:100%">
<!--[if mso]><table role="presentation" width="560" align="center" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<div style="max-width:560px;margin:0 auto">
<p class="ink" style="margin:0 0 20px 4px;color:${light.ink};font-size:18px;line-height:28px;font-weight:600;letter-spacing:-0.02em">${email.showsMark ? mark(light) : ''}${escapeHtml(appName)}</p>
<div class="card" style="padding:36px 32px;background:${light.surface};border:1px solid ${light.line};border-radius:12px">
<h1 class="ink" style="margin:0 0 20px;color:${light.ink};font-size:24px;line-height:31px;font-weight:600;letter-spacing:-0.02em;overflow-wrap:anywhere">${escapeHtml(heading)}</h1>
${phrase ? htmlPhrase(phrase, light) : ''}
${[greeting, ...paragraphs, ...(held ? [held] : [])].map((text) => htmlParagraph(text, light)).join('\n')}
${list ? htmlList(list, light) : ''}
${action ? htmlButton(action, light) : ''}
${secondAction ? htmlLink(secondAction, light) : ''}
${support ? htmlLink(support, light) : ''}
${footnote ? htmlFootnote(footnote, light) : ''}
${action ? htmlFallback(copyLink, action.url, light) : ''}
${panic ? htmlPanic(panic, light) : ''}
</div>
${htmlFooter(email)}
</div>
<!--[if mso]></td></tr></table><![endif]-->
</div>
</body>
</html>
`
}

const step = ({ onAccent }: MailColors) =>
  `display:inline-block;width:3px;height:4px;border-left:2px solid ${onAccent};border-top:2px solid ${onAccent};vertical-align:top`

// The step line of the pages, from borders: most mail programs show neither SVG nor remote pictures.
const mark = (light: MailColors) =>
  `<!--[if !mso]><!--><span aria-hidden="true" style="display:inline-block;box-sizing:border-box;width:28px;height:28px;margin-right:10px;padding:6px 0 0 6px;border-radius:6px;background:${light.accent};font-size:0;line-height:0;vertical-align:top">${[9, 5, 1].map((top) => `<span style="${step(light)};margin-top:${top}px"></span>`).join('')}</span><!--<![endif]-->`

const htmlParagraph = (text: string, light: MailColors) =>
  `<p class="ink" style="margin:0 0 16px;color:${light.ink};font-size:16px;line-height:26px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`

const htmlList = ({ title, items }: { title: string; items: string[] }, light: MailColors) =>
  `${htmlParagraph(title, light)}
<ul class="ink" style="margin:0 0 16px;padding-left:22px;color:${light.ink};font-size:16px;line-height:26px;overflow-wrap:anywhere">
${items.map((item) => `<li style="margin:0 0 6px">${escapeHtml(item)}</li>`).join('\n')}
</ul>`

const htmlButton = ({ label, url }: MailLink, light: MailColors) =>
  `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:28px 0;border-collapse:separate"><tr><td class="button" style="background:${light.accent};border-radius:6px;mso-padding-alt:13px 24px"><a class="button" href="${escapeHtml(url)}" style="display:inline-block;padding:13px 24px;background:${light.accent};border-radius:6px;color:${light.onAccent};font-size:16px;line-height:22px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></td></tr></table>`

const htmlLink = ({ label, url }: MailLink, light: MailColors) =>
  `<p style="margin:-8px 0 28px;font-size:16px;line-height:26px"><a class="link" href="${escapeHtml(url)}" style="color:${light.accent};text-decoration:underline">${escapeHtml(label)}</a></p>`

const htmlFootnote = (text: string, light: MailColors) =>
  `<p class="soft rule" style="margin:28px 0 0;padding-top:20px;border-top:1px solid ${light.line};color:${light.inkSoft};font-size:14px;line-height:22px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`

const htmlPhrase = (text: string, light: MailColors) =>
  `<p class="soft" style="margin:0 0 16px;color:${light.inkSoft};font-size:14px;line-height:22px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`

const htmlPanic = ({ text, label, url }: MailLink & { text: string }, light: MailColors) =>
  `<p class="soft rule" style="margin:28px 0 0;padding-top:20px;border-top:1px solid ${light.line};color:${light.inkSoft};font-size:14px;line-height:22px">${escapeHtml(text)} <a class="link" href="${escapeHtml(url)}" style="color:${light.accent};text-decoration:underline">${escapeHtml(label)}</a></p>`

const htmlFallback = (text: string, url: string, light: MailColors) =>
  `<p class="soft" style="margin:16px 0 0;color:${light.inkSoft};font-size:13px;line-height:20px">${escapeHtml(text)}<br><a class="soft" href="${escapeHtml(url)}" style="color:${light.inkSoft};word-break:break-all">${escapeHtml(url)}</a></p>`

const htmlFooter = ({ appName, baseUrl, reason, footer, colors: { light } }: EmailContent) =>
  `<p class="soft" style="margin:20px 4px 0;color:${light.inkSoft};font-size:13px;line-height:20px;overflow-wrap:anywhere">${escapeHtml(reason)}<br>${escapeHtml(appName)} · <a class="soft" href="${escapeHtml(baseUrl)}" style="color:${light.inkSoft}">${escapeHtml(new URL(baseUrl).host)}</a>${footer.map((line) => `<br>${escapeHtml(line)}`).join('')}</p>`

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
