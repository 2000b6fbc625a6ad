import type { MillraceClient } from '@millrace/client/client.ts'
import type { PageOptions } from '@millrace/client/pages.ts'
import type { Automation } from '@millrace/contracts/automation.ts'
import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import type { Flow } from '@millrace/contracts/flow.ts'
import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import type { Variable } from '@millrace/contracts/variable.ts'
import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import type { WorkQueueResponse } from '@millrace/contracts/work-queue.ts'
import { CommandError } from '../errors.ts'
import type { ReferenceKind } from './placeholders.ts'

/** The lists of a server that others refer to, by kind of reference. */
interface Lists {
  flow: Flow
  deployment: DeploymentResponse
  'work-pool': WorkPoolResponse
  'work-queue': WorkQueueResponse
  'block-document': BlockDocument
  automation: Automation
  'concurrency-limit': GlobalConcurrencyLimitResponse
  variable: Variable
}

type Load<T> = (client: MillraceClient, options: PageOptions) => AsyncIterable<T>

/** Names of deployments and automations are not unique. Sorted by creation, no page splits items of equal rank. */
const loaders: { readonly [K in ReferenceKind]: Load<Lists[K]> } = {
  flow: (client, options) => client.flows.listAll({}, options),
  deployment: (client, options) => client.deployments.listAll({ sort: 'CREATED_DESC' }, options),
  'work-pool': (client, options) => client.workPools.listAll({}, options),
  'work-queue': (client, options) => client.workQueues.listAll({}, options),
  'block-document': (client, options) =>
    client.blockDocuments.listAll({ block_documents: { is_anonymous: null }, sort: 'BLOCK_TYPE_AND_NAME_ASC' }, options),
  automation: (client, options) => client.automations.listAll({ sort: 'CREATED_DESC' }, options),
  'concurrency-limit': (client, options) => client.concurrencyLimits.listAll({}, options),
  variable: (client, options) => client.variables.listAll({}, options),
}

interface NameIndex {
  readonly ids: Map<string, string>
  readonly names: Map<string, string>
}

/** What a server has: lists that are read once, and the names and ids of their items. */
export class ServerState {
  readonly client: MillraceClient
  readonly options: PageOptions
  readonly #lists = new Map<ReferenceKind, Promise<unknown[]>>()
  readonly #indexes = new Map<ReferenceKind, NameIndex>()

  constructor(client: MillraceClient, signal: AbortSignal) {
    this.client = client
    this.options = { signal }
  }

  /** All items of a kind. The pages of a list can overlap while items are created. */
  list<K extends ReferenceKind>(kind: K): Promise<Lists[K][]> {
    const known = this.#lists.get(kind)
    if (known !== undefined) return known as Promise<Lists[K][]>
    const loading = readAll(loaders[kind](this.client, this.options))
    this.#lists.set(kind, loading)
    return loading
  }

  /** Reads the names of these kinds, which `idOf` and `nameOf` need. */
  async loadNames(kinds: Iterable<ReferenceKind>): Promise<void> {
    for (const kind of kinds) {
      if (this.#indexes.has(kind)) continue
      if (kind === 'deployment') await this.loadNames(['flow'])
      const index: NameIndex = { ids: new Map(), names: new Map() }
      for (const item of await this.list(kind)) addName(index, this.#nameOfItem(kind, item), item.id)
      this.#indexes.set(kind, index)
    }
  }

  /** The name of an item in files. Undefined if the item does not exist. */
  nameOf(kind: ReferenceKind, id: string): string | undefined {
    return this.#index(kind).names.get(id)
  }

  has(kind: ReferenceKind, name: string): boolean {
    return this.#index(kind).ids.has(name)
  }

  names(kind: ReferenceKind): Iterable<string> {
    return this.#index(kind).ids.keys()
  }

  idOf(kind: ReferenceKind, name: string): string {
    const id = this.#index(kind).ids.get(name)
    const noun = kind.replaceAll('-', ' ')
    if (id === undefined) throw new CommandError(`The ${noun} "${name}" does not exist.`, 'notFound')
    if (id === severalItems) throw new CommandError(`Several ${noun}s have the name "${name}".`, 'ambiguous')
    return id
  }

  /** Adds a created item. */
  add(kind: ReferenceKind, name: string, id: string): void {
    addName(this.#index(kind), name, id)
  }

  #index(kind: ReferenceKind): NameIndex {
    const index = this.#indexes.get(kind)
    if (!index) throw new Error(`The names of ${kind} are not loaded`)
    return index
  }

  #nameOfItem(kind: ReferenceKind, item: Lists[ReferenceKind]): string {
    if (kind === 'deployment')
      return deploymentName(this.nameOf('flow', (item as DeploymentResponse).flow_id) ?? '', (item as DeploymentResponse).name)
    if (kind === 'work-queue') return queueName((item as WorkQueueResponse).work_pool_name ?? '', (item as WorkQueueResponse).name)
    if (kind === 'block-document') return documentName(item as BlockDocument)
    return (item as Flow).name
  }
}

export const deploymentName = (flow: string, name: string): string => `${flow}/${name}`
export const queueName = (pool: string, name: string): string => `${pool}/${name}`
export const documentName = ({ block_type: type, block_type_name, name }: BlockDocument): string => `${type?.slug ?? block_type_name}/${name}`

/** Stands for the id of a name that several items have, as automations can. */
const severalItems = ''

function addName({ ids, names }: NameIndex, name: string, id: string): void {
  const other = ids.get(name)
  if (other === id) return
  ids.set(name, other === undefined ? id : severalItems)
  if (other === undefined) names.set(id, name)
  else names.delete(other)
}

export async function readAll<T extends { readonly id: string }>(items: AsyncIterable<T>): Promise<T[]> {
  const byId = new Map<string, T>()
  for await (const item of items) byId.set(item.id, item)
  return [...byId.values()]
}
