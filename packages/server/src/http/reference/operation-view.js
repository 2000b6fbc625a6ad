import { element, unfolding } from './elements.js'
import { schemaView } from './schema-view.js'
import { tryIt } from './try-it.js'

/** One operation, folded until it is wanted. */
export function operationView(operation, shapes) {
  const { id, method, path, summary } = operation
  const heading = element(
    'summary',
    {},
    element('span', { class: `method ${method.toLowerCase()}` }, method),
    ' ',
    element('code', { class: 'path' }, path),
    ' ',
    element('span', { class: 'quiet' }, summary),
  )
  return unfolding({ id, class: 'operation' }, heading, () => contents(operation, shapes))
}

function contents(operation, shapes) {
  const body = operation.requestBody?.content['application/json']?.schema
  return element(
    'div',
    { class: 'contents' },
    element(
      'p',
      {},
      element('a', { href: `#${operation.id}` }, 'Link'),
      operation['x-scope'] && [' · for ', element('code', {}, operation['x-scope'])],
    ),
    parametersView(operation.parameters, shapes),
    body && [element('h4', {}, `Body${operation.requestBody.required ? '' : ' (may be left out)'}`), schemaView(body, shapes)],
    answersView(operation.responses, shapes),
    element('h4', {}, 'Try it'),
    tryIt(operation, body, shapes),
  )
}

function parametersView(parameters, shapes) {
  if (!parameters?.length) return undefined
  const rows = parameters.map(({ name, in: place, required, schema }) =>
    element(
      'li',
      {},
      element('code', { class: 'key' }, name),
      ` in ${place}`,
      required && element('span', { class: 'required' }, ' required'),
      schemaView(schema, shapes),
    ),
  )
  return [element('h4', {}, 'Parameters'), element('ul', { class: 'fields' }, rows)]
}

function answersView(responses, shapes) {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const heading = element('summary', {}, element('code', {}, status), ` ${description}`)
    const [[type, shown] = []] = Object.entries(content)
    if (!shown) return element('p', {}, element('code', {}, status), ` ${description}, no body`)
    return unfolding({}, heading, () =>
      element('div', {}, type === 'application/json' ? undefined : element('p', {}, type), schemaView(shown.schema, shapes)),
    )
  })
  return [element('h4', {}, 'Answers'), ...rows]
}
