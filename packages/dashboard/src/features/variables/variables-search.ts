import type { VariableFilter, VariableSort } from '@millrace/contracts/variable.ts'
import { readPage, readString, readStrings } from '../../search-params.ts'

/** Filters of the variables page in the URL. */
export interface VariablesSearch {
  readonly name?: string
  readonly tag?: string[]
  readonly sort?: keyof typeof variableSorts
  readonly page?: number
}

export const variableSorts = {
  name: { label: 'Name, A to Z', sort: 'NAME_ASC' },
  'name-desc': { label: 'Name, Z to A', sort: 'NAME_DESC' },
  newest: { label: 'Newest first', sort: 'CREATED_DESC' },
  changed: { label: 'Recently updated', sort: 'UPDATED_DESC' },
} satisfies Record<string, { label: string; sort: VariableSort }>

export function readVariablesSearch(params: Record<string, unknown>): VariablesSearch {
  const [name, tag, sort, page] = [readString(params.name), readStrings(params.tag), readString(params.sort), readPage(params.page)]
  return {
    ...(name && { name }),
    ...(tag && { tag }),
    ...(sort && Object.hasOwn(variableSorts, sort) && { sort: sort as keyof typeof variableSorts }),
    ...(page && { page }),
  }
}

export function variablesFilter({ name, tag }: VariablesSearch): { variables?: VariableFilter } {
  if (!name && !tag) return {}
  return { variables: { ...(name && { name: { like_: name } }), ...(tag && { tags: { all_: tag } }) } }
}
