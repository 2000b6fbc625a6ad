import type { DeploymentSort, DeploymentsPaginateBody } from '@millrace/contracts/deployment.ts'
import { readPage, readString, readStrings } from '../../search-params.ts'

/** URL parameters of the deployment list. */
export interface DeploymentsSearch {
  /** Part of the deployment's or the flow's name. */
  readonly name?: string
  /** IDs. */
  readonly flow?: string[]
  /** Names. */
  readonly pool?: string[]
  readonly tag?: string[]
  readonly paused?: 'yes' | 'no'
  readonly sort?: keyof typeof deploymentSorts
  readonly page?: number
}

export const deploymentSorts = {
  name: { label: 'Name, A to Z', sort: 'NAME_ASC' },
  'name-desc': { label: 'Name, Z to A', sort: 'NAME_DESC' },
  newest: { label: 'Newest first', sort: 'CREATED_DESC' },
  changed: { label: 'Recently updated', sort: 'UPDATED_DESC' },
} satisfies Record<string, { label: string; sort: DeploymentSort }>

export function readDeploymentsSearch(params: Record<string, unknown>): DeploymentsSearch {
  const sort = readString(params.sort)
  const paused = readString(params.paused)
  const search: DeploymentsSearch = {
    name: readString(params.name),
    flow: readStrings(params.flow),
    pool: readStrings(params.pool),
    tag: readStrings(params.tag),
    paused: paused === 'yes' || paused === 'no' ? paused : undefined,
    sort: sort !== undefined && Object.hasOwn(deploymentSorts, sort) ? (sort as keyof typeof deploymentSorts) : undefined,
    page: readPage(params.page),
  }
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
}

export const hasFilters = ({ name, flow, pool, tag, paused }: DeploymentsSearch): boolean =>
  [name, flow, pool, tag, paused].some((each) => each !== undefined)

export function deploymentsBody(search: DeploymentsSearch, limit: number): DeploymentsPaginateBody {
  const { name, flow, pool, tag, paused, sort = 'name', page = 1 } = search
  const deployments = {
    ...(name && { flow_or_deployment_name: { like_: name } }),
    ...(tag && { tags: { all_: tag } }),
    ...(paused && { paused: { eq_: paused === 'yes' } }),
  }
  return {
    page,
    limit,
    sort: deploymentSorts[sort].sort,
    ...(Object.keys(deployments).length > 0 && { deployments }),
    ...(flow && { flows: { id: { any_: flow } } }),
    ...(pool && { work_pools: { name: { any_: pool } } }),
  }
}

export const deploymentTabs = ['runs', 'upcoming', 'calendar', 'parameters', 'schedules', 'configuration', 'description'] as const
export type DeploymentTab = (typeof deploymentTabs)[number]
