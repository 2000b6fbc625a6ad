import { bindArguments, expectInteger } from '../arguments.ts'
import { toJson } from '../json.ts'
import { toRepr } from '../to-text.ts'
import type { Filter } from '../values.ts'

const marks: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', "'": '\\u0027' }

/** JSON that is safe in HTML: the special characters of HTML are escaped. */
const tojson: Filter = (run, value, args) => {
  const { indent } = bindArguments('tojson', args, 'indent')
  const written = toJson(value, { sorted: true, ...(indent == null ? {} : { indent: Math.min(expectInteger(indent, 0), 20) }) }, run.budget)
  run.budget.spendOnText(written.length)
  return written.replace(/[<>&']/g, (mark) => marks[mark] as string)
}

export const dataFilters: Readonly<Record<string, Filter>> = {
  tojson,
  pprint: (run, value) => toRepr(value, run.budget),
}
