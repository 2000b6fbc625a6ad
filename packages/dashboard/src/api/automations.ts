import type { Automation } from '@millrace/contracts/automation.ts'
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

export const automationsQuery = () =>
  queryOptions({
    queryKey: ['automations', 'list'],
    queryFn: ({ signal }) => call<Automation[]>('POST', '/automations/filter', { body: {}, signal }),
  })
