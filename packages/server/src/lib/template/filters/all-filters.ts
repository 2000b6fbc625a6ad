import type { Filter } from '../values.ts'
import { choiceFilters } from './choices.ts'
import { dataFilters } from './data.ts'
import { listFilters } from './lists.ts'
import { numberFilters } from './numbers.ts'
import { textFilters } from './text.ts'
import { timeFilters } from './times.ts'

/** Every filter by its name. A map: a name from a template never meets a prototype. */
export const allFilters: ReadonlyMap<string, Filter> = new Map([
  ...Object.entries({ ...textFilters, ...numberFilters, ...listFilters, ...choiceFilters, ...dataFilters, ...timeFilters }),
  ['count', textFilters.length as Filter],
])
