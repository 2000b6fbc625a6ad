import { element, unfolding } from './elements.js'
import { kindOf, objectsWithin, remarksOn } from './schemas.js'

/** A schema in words; the shapes in it unfold one by one, so one that holds itself can be followed as far as anybody likes. */
export function schemaView(schema, shapes) {
  const kind = kindOf(schema, shapes)
  const isShape = objectsWithin(schema, shapes)[0]?.name === kind
  return element('div', { class: 'schema' }, !isShape && [element('code', {}, kind), ' '], remarks(schema, shapes), shapesView(schema, shapes, true))
}

function shapesView(schema, shapes, isOpen = false) {
  return objectsWithin(schema, shapes).map((object) => {
    const fields = () => fieldsView(object.schema, shapes)
    if (isOpen && object.name === undefined) return fields()
    return unfolding({ open: isOpen }, element('summary', {}, object.name ?? 'fields'), fields)
  })
}

function fieldsView(schema, shapes) {
  const required = new Set(schema.required ?? [])
  const rows = Object.entries(schema.properties).map(([name, field]) =>
    element(
      'li',
      {},
      element('code', { class: 'key' }, name),
      required.has(name) && element('span', { class: 'required' }, ' required'),
      ' ',
      element('span', { class: 'kind' }, kindOf(field, shapes)),
      ' ',
      ...remarks(field, shapes),
      shapesView(field, shapes),
    ),
  )
  return element('ul', { class: 'fields' }, rows)
}

const remarks = (schema, shapes) => remarksOn(schema, shapes).map((remark) => element('span', { class: 'remark' }, `· ${remark} `))
