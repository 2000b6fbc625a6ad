import { apiAddress, send, signIn, userName } from './connection.js'
import { element } from './elements.js'
import { operationView } from './operation-view.js'
import { byTag, isFound, operationsOf } from './operations.js'

const part = (id) => document.getElementById(id)
const search = part('search')
const main = part('operations')

/** What is on the page, to be searched: each operation with its element, within the section of its tag. */
let sections = []

async function load() {
  const answer = await send({ method: 'GET', url: `${apiAddress}/openapi.json`, headers: {} })
  if (answer.status === 401) {
    part('loading').textContent = userName() ? 'The server does not know this user with this password.' : 'The server asks for a user and a password.'
    part('credentials').open = true
    part('sign-in').elements.user.focus()
    return
  }
  if (answer.status !== 200) throw new Error(`the server answered ${answer.status} ${answer.words}`)
  show(JSON.parse(answer.text))
}

function show(api) {
  part('version').textContent = `${api.info.version} · ${api.info['x-millrace-version'] ?? ''}`
  sections = [...byTag(operationsOf(api))].map(([tag, operations]) => {
    const id = `subject-${tag.toLowerCase().replaceAll(/\W+/g, '-')}`
    const views = operations.map((operation) => ({ operation, view: operationView(operation, api.components.schemas) }))
    const section = element('section', { 'aria-labelledby': id }, element('h2', { id }, tag), ...views.map(({ view }) => view))
    return { tag, id, views, section }
  })
  main.replaceChildren(...sections.map(({ section }) => section))
  part('tags').replaceChildren(element('ul', {}, ...sections.map(({ tag, id }) => element('li', {}, element('a', { href: `#${id}` }, tag)))))
  narrow()
  openLinked()
}

function narrow() {
  let found = 0
  for (const { views, section } of sections) {
    const shown = views.filter(({ operation, view }) => {
      view.hidden = !isFound(operation, search.value)
      return !view.hidden
    })
    section.hidden = shown.length === 0
    found += shown.length
  }
  part('found').textContent = `${found} operations`
}

/** `#operation` opens that operation. */
function openLinked() {
  const linked = document.getElementById(decodeURIComponent(window.location.hash.slice(1)))
  if (!linked) return
  if (linked.matches('details')) linked.open = true
  linked.scrollIntoView()
}

const isTyping = ({ target }) => target.matches('input, textarea, select')

search.addEventListener('input', narrow)
window.addEventListener('hashchange', openLinked)
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !isTyping(event) && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    search.focus()
  } else if (event.key === 'Escape' && event.target === search) {
    search.value = ''
    narrow()
  }
})
part('sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  const { user, password } = event.target.elements
  signIn(user.value, password.value)
  part('signed-in').textContent = user.value === '' ? 'None are sent.' : `Requests are sent as ${user.value}.`
  if (sections.length === 0) start()
})

function start() {
  load().catch((error) => {
    part('loading').textContent = `The operations cannot be shown: ${error.message}`
  })
}

start()
