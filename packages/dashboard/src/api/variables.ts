import type { VariableCreate, VariablesCountBody, VariablesFilterBody, VariableUpdate } from '@millrace/contracts/variable.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'variables'

export const variablesQuery = (body: VariablesFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => client.variables.list(body, { signal }),
    placeholderData: keepPreviousData,
  })

export const variableCountQuery = (body: VariablesCountBody = {}) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => client.variables.count(body, { signal }),
    placeholderData: keepPreviousData,
  })

export const createVariable = (variable: VariableCreate) => client.variables.create(variable)
export const updateVariable = (id: string, change: VariableUpdate) => client.variables.update(id, change)
export const deleteVariable = (id: string) => client.variables.delete(id)
