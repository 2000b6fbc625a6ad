import { baseColumns, json, text } from '../columns.ts'
import type { Step } from '../step.ts'

const variables: Step = {
  name: 'variable',
  noun: 'variables',
  from: 'variable',
  to: 'variable',
  columns: { ...baseColumns, name: text(), value: json('null'), tags: json('[]') },
}

const savedSearches: Step = {
  name: 'saved_search',
  noun: 'saved searches',
  from: 'saved_search',
  to: 'saved_search',
  columns: { ...baseColumns, name: text(), filters: json('[]') },
}

export const variableSteps: readonly Step[] = [variables, savedSearches]
