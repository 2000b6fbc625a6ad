import type { Filter } from '../values.ts'
import { choiceFilters } from './choices.ts'
import { dataFilters } from './data.ts'
import { listFilters } from './lists.ts'
import { numberFilters } from './numbers.ts'
import { textFilters } from './text.ts'
import { timeFilters } from './times.ts'

/** All filters by name. A map, so that a name from a template never reaches a prototype. */
export const allFilters: ReadonlyMap<string, Filter> = new Map([
  ...Object.entries({ ...textFilters, ...numberFilters, ...listFilters, ...choiceFilters, ...dataFilters, ...timeFilters }),
  ['count', textFilters.length as Filter],
])
