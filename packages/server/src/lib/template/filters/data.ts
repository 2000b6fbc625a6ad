import { bind, wholeNumber } from '../arguments.ts'
import { jsonOf } from '../json-of.ts'
import { sourceOf } from '../text-of.ts'
import type { Filter } from '../values.ts'

const marks: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', "'": '\\u0027' }

/** JSON that may also stand in a page: what HTML would take for its own is spelled out. */
const tojson: Filter = (run, value, args) => {
  const { indent } = bind('tojson', args, 'indent')
  const written = jsonOf(value, { sorted: true, ...(indent == null ? {} : { indent: Math.min(wholeNumber(indent, 0), 20) }) }, run.budget)
  run.budget.text(written.length)
  return written.replace(/[<>&']/g, (mark) => marks[mark] as string)
}

export const dataFilters: Readonly<Record<string, Filter>> = {
  tojson,
  pprint: (run, value) => sourceOf(value, run.budget),
}
