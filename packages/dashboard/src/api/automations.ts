import type {
  Automation,
  AutomationCreate,
  AutomationStatus,
  AutomationsCountBody,
  AutomationsFilterBody,
  SuspendedAutomation,
} from '@millrace/contracts/automation.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { RequestBody } from './sent.ts'

const noun = 'automations'

/** An automation as it is written: what the server makes of it may be left out. */
export type AutomationDraft = AutomationCreate

export const automationsQuery = (body: RequestBody<typeof AutomationsFilterBody> = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => call<Automation[]>('POST', '/automations/filter', { body, signal }),
    placeholderData: keepPreviousData,
  })

const batchSize = 200
const batchesMax = 10

/** Every automation whose name has a text in it. The API knows whole names only, so that all are read, up to two thousand. */
export const searchAutomationsQuery = (text: string, body: Pick<RequestBody<typeof AutomationsFilterBody>, 'automations'>) =>
  queryOptions({
    queryKey: [noun, 'named', text, body],
    queryFn: async ({ signal }) => {
      const all: Automation[] = []
      for (let at = 0; at < batchesMax; at++) {
        const some = await call<Automation[]>('POST', '/automations/filter', { body: { ...body, limit: batchSize, offset: at * batchSize }, signal })
        all.push(...some)
        if (some.length < batchSize) break
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

/** When it was last evaluated and fired, and why it did not fire. */
export const automationStatusQuery = (id: string) =>
  queryOptions({
    queryKey: [noun, 'status', id],
    queryFn: ({ signal }) => call<AutomationStatus>('GET', `/automations/${id}/status`, { signal }),
  })

/** Automations that fired too often; each resumes by itself after a while. */
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

/** Throws what is wrong with a template. */
export const validateTemplate = (text: string) => call<null>('POST', '/templates/validate', { body: text })
