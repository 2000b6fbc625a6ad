import { apiAddress, send, userName } from './connection.js'
import { curlOf } from './curl.js'
import { element, newName } from './elements.js'
import { exampleOf } from './example.js'
import { jsonView } from './json-view.js'
import { kindOf } from './schemas.js'

/** A form that sends the operation's request and shows what comes back. */
export function tryIt(operation, bodySchema, shapes) {
  const fields = (operation.parameters ?? []).map((parameter) => fieldOf(parameter, shapes))
  const body = bodySchema && bodyField(bodySchema, shapes)
  const answer = element('div', { class: 'answer', role: 'status' })
  const request = () => requestOf(operation, fields, body?.area.value)

  const sendIt = async (event) => {
    event.preventDefault()
    answer.replaceChildren('Sending…')
    try {
      answer.replaceChildren(...answerView(await send(request())))
    } catch (error) {
      answer.replaceChildren(element('p', { class: 'failed' }, `The request could not be sent: ${error.message}`))
    }
  }

  return element(
    'form',
    { class: 'try', onsubmit: sendIt },
    fields.map(({ row }) => row),
    body?.row,
    element(
      'p',
      { class: 'buttons' },
      element('button', { class: 'main' }, 'Send'),
      copyButton(() => curlOf(request(), userName())),
    ),
    answer,
  )
}

function fieldOf({ name, in: place, required, schema }, shapes) {
  const id = newName()
  const input = element('input', { id, required, autocomplete: 'off', spellcheck: 'false', placeholder: kindOf(schema, shapes) })
  return { name, place, input, row: element('p', { class: 'field' }, element('label', { for: id }, `${name} (${place})`), input) }
}

function bodyField(schema, shapes) {
  const id = newName()
  const area = element('textarea', { id, spellcheck: 'false' })
  const fill = (all) => {
    area.value = JSON.stringify(exampleOf(schema, shapes, all), null, 2)
    area.rows = Math.min(24, area.value.split('\n').length + 1)
  }
  fill(false)
  const button = (words, all) => element('button', { type: 'button', onclick: () => fill(all) }, words)
  const row = element(
    'div',
    { class: 'field' },
    element('label', { for: id }, 'Body'),
    area,
    element('p', { class: 'buttons' }, button('Example', false), button('Example with every field', true)),
  )
  return { area, row }
}

function requestOf({ method, path }, fields, body) {
  const filled = fields.filter(({ input }) => input.value !== '')
  const at = (place) => filled.filter((field) => field.place === place)
  const local = at('path').reduce((made, { name, input }) => made.replace(`{${name}}`, encodeURIComponent(input.value)), path)
  const query = new URLSearchParams(at('query').map(({ name, input }) => [name, input.value])).toString()
  const headers = Object.fromEntries(at('header').map(({ name, input }) => [name, input.value]))
  const hasBody = body !== undefined && body.trim() !== ''
  return {
    method,
    url: `${apiAddress}${local}${query === '' ? '' : `?${query}`}`,
    headers: hasBody ? { 'content-type': 'application/json', ...headers } : headers,
    body: hasBody ? body : undefined,
  }
}

function answerView({ status, words, headers, text, milliseconds }) {
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\n')
  return [
    element('p', {}, element('strong', { class: status < 400 ? 'went-well' : 'failed' }, `${status} ${words}`), ` in ${milliseconds} ms`),
    status === 401 && element('p', {}, 'The server asks for a user and a password. ', askButton()),
    element('details', {}, element('summary', {}, 'Headers'), element('pre', { tabindex: '0' }, lines)),
    text !== '' && jsonView(text, type.startsWith('application/json')),
  ].filter(Boolean)
}

function askButton() {
  const open = () => {
    const credentials = document.getElementById('credentials')
    credentials.open = true
    credentials.querySelector('input').focus()
  }
  return element('button', { type: 'button', onclick: open }, 'Enter credentials')
}

function copyButton(textOf) {
  const button = element('button', { type: 'button' }, 'Copy as curl')
  button.addEventListener('click', async () => {
    const text = textOf()
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      // Browsers lend the clipboard to pages from HTTPS and from this machine only.
      button
        .closest('form')
        .querySelector('.answer')
        .replaceChildren(element('pre', { tabindex: '0' }, text))
    }
  })
  button.addEventListener('blur', () => {
    button.textContent = 'Copy as curl'
  })
  return button
}
