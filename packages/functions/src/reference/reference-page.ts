import { AppError, type ErrorKey } from '@floorpass/api'
import { defaultLocale } from '@floorpass/languages/locales'
import { html } from 'hono/html'
import type { ErrorExample, OpenapiDocument, Operation } from '../rest/openapi.ts'
import { describeFields, type Field } from './describe-fields.ts'
import { accessNotes, groups } from './notes.ts'

type Entry = { method: string; path: string; operation: Operation; aliases: { id: string; path: string }[] }

const signIn = 'postSignInEmail'
const getSession = 'getGetSession'

/** The reference of the REST API: complete without JavaScript, which adds the search and the copy buttons. */
export function referencePage({ info, paths, servers, components }: OpenapiDocument) {
  const entries = listEntries(paths)
  const modules = [...new Set(entries.map(({ operation }) => operation.tags[0] ?? ''))]
  const inModule = (name: string) => entries.filter(({ operation }) => operation.tags[0] === name)
  const sampleOf = (id: string) => entries.find(({ operation }) => operation.operationId === id)?.operation['x-codeSamples'][0]
  const errors = components.examples
  return html`<!doctype html>
    <html lang="${defaultLocale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}</title>
        <link rel="stylesheet" href="/auth/reference/style.css" />
        <script src="/auth/reference/script.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the reference</a>
        <header>
          <h1>${info.title}</h1>
          <form role="search" hidden>
            <label for="search">Search</label>
            <input id="search" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" placeholder="Press / to search" />
          </form>
          <p class="found" role="status"></p>
        </header>
        <nav aria-label="Contents">
          <ul>
            <li><a href="#start">Start here</a></li>
            <li><a href="#errors">Errors</a></li>
          </ul>
          ${modules.map(
            (name) => html`<div class="group" data-module="${name}">
              <h2><a href="#${name}">${groups[name]?.[0] ?? name}</a></h2>
              <ul>
                ${inModule(name).map(
                  ({ method, path, operation }) =>
                    html`<li><a href="#${operation.operationId}"><span class="method">${method}</span> ${shorten(path)}</a></li>`,
                )}
              </ul>
            </div>`,
          )}
          <ul>
            <li><a href="#types">Types</a></li>
          </ul>
        </nav>
        <main id="content" tabindex="-1">
          <section id="start">
            <h2>Start here</h2>
            <p>
              Every route answers below <code>${servers[0]?.url}/auth</code>. Requests and answers are JSON. The same reference for
              programs is <a href="/auth/openapi.json">openapi.json</a>, in OpenAPI 3.1.
            </p>
            <h3>Try it with curl</h3>
            <p>Sign in. curl keeps the session cookie in <code>cookies.txt</code>.</p>
            ${code('Sign in with curl', sampleOf(signIn)?.source)}
            <p>The next calls send the cookie. A call that changes something also names its origin.</p>
            ${code('Read the session with curl', sampleOf(getSession)?.source)}
            <h3>Use the typed client</h3>
            <p>In a browser, <code>@floorpass/client</code> sends the cookie and knows the types of every call.</p>
            ${code('Install the client', 'npm install @floorpass/client')} ${code('Create the client', clientExample(servers[0]?.url ?? ''))}
          </section>
          <section id="errors">
            <h2>Errors</h2>
            <p>
              Every error is JSON with a stable <code>code</code> for your program and a <code>message</code> for developers. Each route
              lists its errors. Most routes can also answer these:
            </p>
            ${errorList(errors, commonErrors(entries))}
          </section>
          ${modules.map(
            (name) => html`<section id="${name}">
              <h2>${groups[name]?.[0] ?? name}</h2>
              <p>${groups[name]?.[1]}</p>
              ${inModule(name).map((entry) => article(entry, components))}
            </section>`,
          )}
          <section id="types">
            <h2>Types</h2>
            <p>Answers share these types.</p>
            ${Object.entries(components.schemas).map(
              ([name, schema]) =>
                html`<section id="type-${name}" class="type"><h3>${name}</h3>${fieldList(describeFields(schema))}</section>`,
            )}
          </section>
        </main>
      </body>
    </html>`
}

const shorten = (path: string): string => path.replace('/auth', '')

const clientExample = (url: string): string => `import { createFloorpassClient, describeError } from '@floorpass/client'

const floorpass = createFloorpassClient({ baseUrl: '${url}' })
const current = await floorpass.trpc.sessions.get.query()
await floorpass.updateProfile({ name: 'Ada Lovelace' }).catch((error) => console.error(describeError(error)))`

/** One entry for each route. The other names of a route belong to its entry. */
function listEntries(paths: OpenapiDocument['paths']): Entry[] {
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const aliasesOf = (id: string) =>
    all
      .filter(({ operation }) => operation['x-alias-of'] === id)
      .map(({ path, operation }) => ({ id: operation.operationId, path }))
  return all
    .filter(({ operation }) => operation['x-alias-of'] === undefined)
    .map((entry) => ({ ...entry, aliases: aliasesOf(entry.operation.operationId) }))
}

type ListedError = { code: string; status: string }

const codesOf = (response: Operation['responses'][string] | undefined): string[] =>
  Object.keys(response?.content?.['application/json']?.examples ?? {})

const listErrors = ({ responses }: Operation): ListedError[] =>
  Object.entries(responses).flatMap(([status, response]) =>
    status === 'default' ? [] : codesOf(response).map((code) => ({ code, status })),
  )

function commonErrors(entries: readonly Entry[]): ListedError[] {
  const codes = new Set(entries.flatMap(({ operation }) => codesOf(operation.responses.default)))
  return [...codes].map((code) => ({ code, status: String(new AppError(code as ErrorKey).status) }))
}

function errorList(examples: Record<string, ErrorExample>, errors: readonly ListedError[]) {
  return html`<dl class="errors">
    ${errors.map(
      ({ code, status }) =>
        html`<div><dt><code>${code}</code> <span class="status">${status}</span></dt><dd>${examples[code]?.value.message}</dd></div>`,
    )}
  </dl>`
}

function article({ method, path, operation, aliases }: Entry, { examples }: OpenapiDocument['components']) {
  const { operationId, summary, description, parameters, requestBody } = operation
  const [label] = accessNotes[operation['x-access']]
  const body = Object.values(requestBody?.content ?? {})[0]
  const fields = parameters ? describeParameters(parameters) : body ? describeFields(body.schema) : []
  const errors = listErrors(operation)
  const mediaTypes = Object.keys(requestBody?.content ?? {})
  return html`<article id="${operationId}">
    <h3><a href="#${operationId}"><span class="method">${method}</span> <code>${path}</code></a></h3>
    <div class="text">
      <p class="summary">${prose(summary)}</p>
      <p class="badges"><span class="badge">${label}</span></p>
      <p>${prose(description)}</p>
      ${aliases.map(({ id, path }) => html`<p class="alias" id="${id}">Also answers to <code>${method}</code> <code>${path}</code></p>`)}
      ${fields.length > 0 ? html`<h4>${parameters ? 'Query' : 'Body'}</h4>${fieldList(fields)}` : ''}
      ${mediaTypes.length > 1 ? html`<p class="media">Send ${mediaTypes.join(' or ')}.</p>` : ''}
      ${errors.length > 0 ? html`<h4>Errors</h4>${errorList(examples, errors)}` : ''}
      <p class="common"><a href="#errors">Errors of most routes</a> are possible too.</p>
    </div>
    <div class="samples">
      ${operation['x-codeSamples'].map(({ label, source }) => html`<h4>${label}</h4>${code(`${label}, ${method} ${path}`, source)}`)}
      ${success(operation, `${method} ${path}`)}
    </div>
  </article>`
}

function success({ responses }: Operation, name: string) {
  const [status, response] = Object.entries(responses).find(([status]) => /^[23]/.test(status)) ?? []
  if (!status || !response) return ''
  const content = response.content?.['application/json']
  if (!content)
    return html`<h4>Answer ${status}</h4><p>${prose(response.headers ? 'A redirect to the address in `location`.' : 'No body.')}</p>`
  const fields = describeFields(content.schema)
  return html`<h4>Answer ${status}</h4>
    ${code(`Answer, ${name}`, JSON.stringify(content.example, null, 2))}
    ${fields.length > 0 ? html`<details><summary>Fields of the answer</summary>${fieldList(fields)}</details>` : ''}`
}

const describeParameters = (parameters: NonNullable<Operation['parameters']>): Field[] =>
  describeFields({
    properties: Object.fromEntries(parameters.map(({ name, description, schema }) => [name, { description, ...schema }])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  })

const fieldList = (fields: readonly Field[]) =>
  html`<dl class="fields">
    ${fields.map(
      ({ name, type, reference, isRequired, limits, description }) => html`<div>
        <dt>
          <code>${name}</code>
          <span class="kind">${reference ? html`<a href="#type-${reference}">${type}</a>` : type}</span>
          ${isRequired ? html`<span class="required">required</span>` : ''}
        </dt>
        <dd>${prose([description.replace(/\.$/, ''), limits].filter(Boolean).join('. '))}</dd>
      </div>`,
    )}
  </dl>`

const code = (label: string, source: string | undefined) =>
  source === undefined ? '' : html`<pre data-label="${label}"><code>${source}</code></pre>`

/** Text with code in backticks. */
const prose = (text: string) => text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
