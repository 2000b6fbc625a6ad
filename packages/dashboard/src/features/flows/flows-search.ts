import type { FlowSort, FlowsPaginateBody } from '@millrace/contracts/flow.ts'
import { readPage, readString, readStrings } from '../../search-params.ts'

/** URL parameters of the flow list. */
export interface FlowsSearch {
  /** Part of the name. */
  readonly name?: string
  readonly tag?: string[]
  readonly sort?: keyof typeof flowSorts
  readonly page?: number
}

export const flowSorts = {
  name: { label: 'Name, A to Z', sort: 'NAME_ASC' },
  'name-desc': { label: 'Name, Z to A', sort: 'NAME_DESC' },
  newest: { label: 'Newest first', sort: 'CREATED_DESC' },
  changed: { label: 'Recently updated', sort: 'UPDATED_DESC' },
} satisfies Record<string, { label: string; sort: FlowSort }>

export function readFlowsSearch(params: Record<string, unknown>): FlowsSearch {
  const [name, tag, sort, page] = [readString(params.name), readStrings(params.tag), readString(params.sort), readPage(params.page)]
  return {
    ...(name && { name }),
    ...(tag && { tag }),
    ...(sort && Object.hasOwn(flowSorts, sort) && { sort: sort as keyof typeof flowSorts }),
    ...(page && { page }),
  }
}

export function flowsBody({ name, tag, sort = 'name', page = 1 }: FlowsSearch, limit: number): FlowsPaginateBody {
  const flows = { ...(name && { name: { like_: name } }), ...(tag && { tags: { all_: tag } }) }
  return { page, limit, sort: flowSorts[sort].sort, ...(Object.keys(flows).length > 0 && { flows }) }
}

export const flowTabs = ['runs', 'deployments', 'details'] as const
export type FlowTab = (typeof flowTabs)[number]
