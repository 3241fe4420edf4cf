import type { MailContent, MailContext, MailLink } from './content.ts'

type EmailContent = MailContent & Pick<MailContext, 'locale' | 'appName' | 'baseUrl'> & { greeting: string }

const FALLBACK = {
  en: 'If the button doesn’t work, copy this link into your browser:',
  fr: 'Si le bouton ne fonctionne pas, copiez ce lien dans votre navigateur\u00a0:',
}

const COLON = { en: ':', fr: '\u00a0:' }

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const DARK = `@media (prefers-color-scheme: dark) {
  .page { background: #0b1120 !important }
  .card { background: #151e30 !important; border-color: #263248 !important }
  .strong { color: #f1f5f9 !important }
  .words { color: #cbd5e1 !important }
  .quiet, .quiet a { color: #94a3b8 !important }
  .rule { border-color: #263248 !important }
  .mark { background: #2dd4bf !important }
  .button { background: #2dd4bf !important; color: #042f2e !important }
  .link { color: #5eead4 !important }
}`

export function renderText({ locale, greeting, paragraphs, action, secondAction, footnote, appName, baseUrl }: EmailContent) {
  const links = [action, secondAction]
    .filter((link) => link !== undefined)
    .map(({ label, url }) => `${label}${COLON[locale]}\n${url}`)
  const signature = `--\n${appName}\n${new URL(baseUrl).host}`
  return `${[greeting, ...paragraphs, ...links, footnote, signature].filter(Boolean).join('\n\n')}\n`
}

export function renderHtml({
  locale,
  subject,
  preheader,
  heading,
  greeting,
  paragraphs,
  action,
  secondAction,
  footnote,
  appName,
  baseUrl,
}: EmailContent) {
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${escapeHtml(subject)}</title>
<style>${DARK}</style>
</head>
<body class="page" style="margin:0;background:#f1f5f9;font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(preheader)}${'&#847;&zwnj;&nbsp;'.repeat(60)}</div>
<div class="page" style="background:#f1f5f9;padding:40px 16px">
<div style="max-width:520px;margin:0 auto">
<p class="strong" style="margin:0 0 20px 4px;color:#0f172a;font-size:16px;line-height:24px;font-weight:700;letter-spacing:-0.01em"><span class="mark" style="display:inline-block;width:12px;height:12px;margin-right:10px;border-radius:4px;background:#0f766e"></span>${escapeHtml(appName)}</p>
<div class="card" style="padding:36px 32px;background:#ffffff;border:1px solid #e2e8f0;border-radius:14px">
<h1 class="strong" style="margin:0 0 20px;color:#0f172a;font-size:24px;line-height:31px;font-weight:700;letter-spacing:-0.02em">${escapeHtml(heading)}</h1>
${[greeting, ...paragraphs].map(htmlParagraph).join('\n')}
${action ? htmlButton(action) : ''}
${secondAction ? htmlLink(secondAction) : ''}
${footnote ? htmlFootnote(footnote) : ''}
${action ? htmlFallback(FALLBACK[locale], action.url) : ''}
</div>
<p class="quiet" style="margin:20px 4px 0;color:#64748b;font-size:13px;line-height:20px">${escapeHtml(appName)} · <a href="${escapeHtml(baseUrl)}" style="color:#64748b;text-decoration:none">${escapeHtml(new URL(baseUrl).host)}</a></p>
</div>
</div>
</body>
</html>
`
}

const htmlParagraph = (text: string) =>
  `<p class="words" style="margin:0 0 16px;color:#334155;font-size:16px;line-height:26px;overflow-wrap:anywhere">${escapeHtml(text)}</p>`

const htmlButton = ({ label, url }: MailLink) =>
  `<p style="margin:28px 0"><a class="button" href="${escapeHtml(url)}" style="display:inline-block;padding:13px 24px;background:#0f766e;border-radius:10px;color:#ffffff;font-size:16px;line-height:22px;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>`

const htmlLink = ({ label, url }: MailLink) =>
  `<p style="margin:-8px 0 28px;font-size:16px;line-height:26px"><a class="link" href="${escapeHtml(url)}" style="color:#0f766e;text-decoration:underline">${escapeHtml(label)}</a></p>`

const htmlFootnote = (text: string) =>
  `<p class="quiet rule" style="margin:28px 0 0;padding-top:20px;border-top:1px solid #e2e8f0;color:#64748b;font-size:14px;line-height:22px">${escapeHtml(text)}</p>`

const htmlFallback = (text: string, url: string) =>
  `<p class="quiet" style="margin:16px 0 0;color:#64748b;font-size:13px;line-height:20px">${escapeHtml(text)}<br><a href="${escapeHtml(url)}" style="color:#64748b;word-break:break-all">${escapeHtml(url)}</a></p>`

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
