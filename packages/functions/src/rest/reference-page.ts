import { html } from 'hono/html'
import type { openapiDocument } from './openapi.ts'

type Document = ReturnType<typeof openapiDocument>
type Operation = Document['paths'][string][string]

/** The OpenAPI document for a person: every route with what it takes and what it answers. No script. */
export function referencePage({ info, paths, servers, components }: Document) {
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]) => html`<details id="${method}${path}">
        <summary><code>${method.toUpperCase()}</code> <code>${path}</code> ${(operation as { summary: string }).summary}</summary>
        ${block('Takes', takes(operation))}
        ${block('Answers', (operation as { responses: unknown }).responses)}
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
          ${Object.entries(components.schemas).map(([name, schema]) => block(name, schema))}
        </main>
      </body>
    </html>`
}

const takes = (operation: Operation): unknown => {
  const { requestBody, parameters } = operation as { requestBody?: unknown; parameters?: unknown }
  return requestBody ?? parameters ?? 'nothing'
}

const block = (title: string, value: unknown) => html`<h3>${title}</h3><pre>${JSON.stringify(value, null, 2)}</pre>`
