import type { Automation, AutomationCreate, AutomationsCountBody, AutomationsFilterBody } from '@millrace/contracts/automation.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

const noun = 'automations'

/** Automation as edited. Fields that the server fills in are optional. */
export type AutomationDraft = AutomationCreate

export const automationsQuery = (body: AutomationsFilterBody = {}) =>
  queryOptions({
    queryKey: [noun, 'list', body],
    queryFn: ({ signal }) => client.automations.list(body, { signal }),
    placeholderData: keepPreviousData,
  })

const searchedMax = 2000

/** Automations whose name contains a text. The API matches whole names only, so all automations are loaded, up to 2,000. */
export const searchAutomationsQuery = (text: string, body: Pick<AutomationsFilterBody, 'automations'>) =>
  queryOptions({
    queryKey: [noun, 'named', text, body],
    queryFn: async ({ signal }) => {
      const all: Automation[] = []
      for await (const automation of client.automations.listAll(body, { max: searchedMax, signal })) all.push(automation)
      return all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    },
    placeholderData: keepPreviousData,
  })

export const automationCountQuery = (body: AutomationsCountBody = {}) =>
  queryOptions({
    queryKey: [noun, 'count', body],
    queryFn: ({ signal }) => client.automations.count(body, { signal }),
    placeholderData: keepPreviousData,
  })

export const automationQuery = (id: string) =>
  queryOptions({ queryKey: [noun, 'one', id], queryFn: ({ signal }) => client.automations.read(id, { signal }) })

/** Times of the last evaluation and firing, and the reason why the automation did not fire. */
export const automationStatusQuery = (id: string) =>
  queryOptions({
    queryKey: [noun, 'status', id],
    queryFn: ({ signal }) => client.automations.status(id, { signal }),
  })

/** Automations suspended because they fired too often. The server resumes each after a delay. */
export const suspendedAutomationsQuery = queryOptions({
  queryKey: [noun, 'suspended'],
  queryFn: ({ signal }) => client.automations.listSuspended({ signal }),
})

export const createAutomation = (draft: AutomationDraft) => client.automations.create(draft)

export const replaceAutomation = (id: string, { owner_resource: _owner, ...draft }: AutomationDraft) => client.automations.replace(id, draft)

export const setAutomationEnabled = (id: string, enabled: boolean) => client.automations.update(id, { enabled })

export const resumeAutomation = (id: string) => client.automations.resume(id)

export const deleteAutomation = (id: string) => client.automations.delete(id)

/** Throws an `ApiError` if the template is invalid. */
export const validateTemplate = (text: string) => client.automations.validateTemplate(text)
