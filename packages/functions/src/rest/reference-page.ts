import { html } from 'hono/html'
import type { OpenapiDocument } from './openapi.ts'

type Operation = OpenapiDocument['paths'][string][string]

export function referencePage({ info, paths, servers, components }: OpenapiDocument) {
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]) => html`<details id="${method}${path}">
        <summary><code>${method.toUpperCase()}</code> <code>${path}</code> ${(operation as { summary: string }).summary}</summary>
        ${section('Request', requestOf(operation))}
        ${section('Responses', (operation as { responses: unknown }).responses)}
      </details>`,
    ),
  )
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title}</title>
      </head>
      <body>
        <main>
          <h1>${info.title}</h1>
          <p>Base: <code>${servers[0]?.url}</code>. Machine-readable: <a href="/auth/openapi.json">openapi.json</a></p>
          <p>${info.description.replaceAll('`', '')}</p>
          ${sections}
          <h2>Types</h2>
          ${Object.entries(components.schemas).map(([name, schema]) => section(name, schema))}
        </main>
      </body>
    </html>`
}

const requestOf = (operation: Operation): unknown => {
  const { requestBody, parameters } = operation as { requestBody?: unknown; parameters?: unknown }
  return requestBody ?? parameters ?? 'nothing'
}

const section = (title: string, value: unknown) => html`<h3>${title}</h3><pre>${JSON.stringify(value, null, 2)}</pre>`
