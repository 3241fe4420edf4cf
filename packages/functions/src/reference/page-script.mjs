// Adds the search and the copy buttons to the reference. Without this script the page is complete.
const form = document.querySelector('form')
const field = form.querySelector('input')
const status = document.querySelector('.found')

const entries = [...document.querySelectorAll('main article')].map((article) => ({
  article,
  item: document.querySelector(`nav a[href="#${article.id}"]`).parentElement,
  link: article.querySelector('h3 a'),
  // Paths, summaries, fields and error codes: examples would match too much.
  text: [...article.querySelectorAll('h3, .summary, .badge, .alias, .text dt, .text h4')]
    .map((element) => element.textContent)
    .join(' ')
    .toLowerCase(),
}))

const groups = [...document.querySelectorAll('nav .group')].map((group) => ({
  group,
  section: document.getElementById(group.dataset.module),
}))

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const { article, item, text } of entries) {
    article.hidden = !words.every((word) => text.includes(word))
    item.hidden = article.hidden
  }
  for (const { group, section } of groups) {
    group.hidden = !section.querySelector('article:not([hidden])')
    section.hidden = group.hidden
  }
  for (const id of ['start', 'errors', 'types']) document.getElementById(id).hidden = words.length > 0
  const found = entries.filter(({ article }) => !article.hidden).length
  status.textContent = words.length === 0 ? '' : `${found} of ${entries.length} routes`
}

function clear() {
  field.value = ''
  search()
}

/** A link to a part that the search hides ends the search. */
function showTarget() {
  const target = document.getElementById(location.hash.slice(1))
  if (!target?.closest('[hidden]')) return
  clear()
  target.scrollIntoView()
}

form.hidden = false
field.addEventListener('input', search)
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const first = entries.find(({ article }) => !article.hidden)
  if (!first || field.value.trim() === '') return
  location.hash = first.article.id
  first.link.focus()
})
field.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') clear()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return
  event.preventDefault()
  field.focus()
  field.select()
})
addEventListener('hashchange', showTarget)
// The browser keeps the text of the field over a reload.
search()
showTarget()

// Browsers offer the clipboard to https and to this machine only.
if (navigator.clipboard)
  for (const block of document.querySelectorAll('pre[data-label]')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', `Copy: ${block.dataset.label}`)
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent)
      button.textContent = 'Copied'
      status.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    block.prepend(button)
  }
