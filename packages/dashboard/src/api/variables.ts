import type { Variable, VariableCreate, VariablesCountBody, VariablesFilterBody, VariableUpdate } from '@millrace/contracts/variable.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'

const noun = 'variables'

export const variablesQuery = (body: RequestBody<typeof VariablesFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<Variable[]>('POST', '/variables/filter', { body, signal }),
    placeholderData: keepPreviousData,
  })

export const variableCountQuery = (body: RequestBody<typeof VariablesCountBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => call<number>('POST', '/variables/count', { body, signal }),
    placeholderData: keepPreviousData,
  })

export const createVariable = (variable: VariableCreate) => call<Variable>('POST', '/variables/', { body: variable })
export const updateVariable = (id: string, change: VariableUpdate) => call<null>('PATCH', `/variables/${id}`, { body: change })
export const deleteVariable = (id: string) => call<null>('DELETE', `/variables/${id}`)
