import type {
  Automation,
  AutomationCreate,
  AutomationStatus,
  AutomationsCountBody,
  AutomationsFilterBody,
  SuspendedAutomation,
} from '@millrace/contracts/automation.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type RequestBody } from './client.ts'

const noun = 'automations'

/** Automation as edited. Fields that the server fills in are optional. */
export type AutomationDraft = AutomationCreate

export const automationsQuery = (body: RequestBody<typeof AutomationsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<Automation[]>('POST', '/automations/filter', { body, signal }),
    placeholderData: keepPreviousData,
  })

const batchSize = 200
const batchesMax = 10

/** Automations whose name contains a text. The API matches whole names only, so all automations are loaded, up to 2,000. */
export const searchAutomationsQuery = (text: string, body: Pick<RequestBody<typeof AutomationsFilterBody>, 'automations'>) =>
  queryOptions({
    queryKey: [noun, 'named', text, body],
    queryFn: async ({ signal }) => {
      const all: Automation[] = []
      for (let at = 0; at < batchesMax; at++) {
        const batch = await call<Automation[]>('POST', '/automations/filter', { body: { ...body, limit: batchSize, offset: at * batchSize }, signal })
        all.push(...batch)
        if (batch.length < batchSize) break
      }
      return all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    },
    placeholderData: keepPreviousData,
  })

export const automationCountQuery = (body: RequestBody<typeof AutomationsCountBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => call<number>('POST', '/automations/count', { body, signal }),
    placeholderData: keepPreviousData,
  })

export const automationQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => call<Automation>('GET', `/automations/${id}`, { signal }) })

/** Times of the last evaluation and firing, and the reason why the automation did not fire. */
export const automationStatusQuery = (id: string) =>
  queryOptions({
    queryKey: [noun, 'status', id],
    queryFn: ({ signal }) => call<AutomationStatus>('GET', `/automations/${id}/status`, { signal }),
  })

/** Automations suspended because they fired too often. The server resumes each after a delay. */
export const suspendedAutomationsQuery = queryOptions({
  queryKey: [noun, 'suspended'],
  queryFn: ({ signal }) => call<SuspendedAutomation[]>('GET', '/automations/suspended', { signal }),
})

export const createAutomation = (draft: AutomationDraft) => call<Automation>('POST', '/automations/', { body: draft })

export const replaceAutomation = (id: string, { owner_resource: _owner, ...draft }: AutomationDraft) =>
  call<null>('PUT', `/automations/${id}`, { body: draft })

export const setAutomationEnabled = (id: string, enabled: boolean) => call<null>('PATCH', `/automations/${id}`, { body: { enabled } })

export const resumeAutomation = (id: string) => call<null>('POST', `/automations/${id}/resume`)

export const deleteAutomation = (id: string) => call<null>('DELETE', `/automations/${id}`)

/** Throws an `ApiError` if the template is invalid. */
export const validateTemplate = (text: string) => call<null>('POST', '/templates/validate', { body: text })
