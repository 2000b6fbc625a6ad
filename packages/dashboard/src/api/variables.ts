import type { Variable, VariablesFilterBody } from '@millrace/contracts/variable.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { Sent } from './sent.ts'

export const variablesQuery = (body: Sent<typeof VariablesFilterBody> = {}) =>
  queryOptions({ queryKey: ['variables', 'list', body], queryFn: ({ signal }) => call<Variable[]>('POST', '/variables/filter', { body, signal }) })
