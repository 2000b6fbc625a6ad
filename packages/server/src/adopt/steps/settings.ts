import { json, stamped, text } from '../column.ts'
import type { Step } from '../step.ts'

const variables: Step = {
  name: 'variable',
  noun: 'variables',
  from: 'variable',
  to: 'variable',
  columns: { ...stamped, name: text(), value: json('null'), tags: json('[]') },
}

const savedSearches: Step = {
  name: 'saved_search',
  noun: 'saved searches',
  from: 'saved_search',
  to: 'saved_search',
  columns: { ...stamped, name: text(), filters: json('[]') },
}

export const settingSteps: readonly Step[] = [variables, savedSearches]
