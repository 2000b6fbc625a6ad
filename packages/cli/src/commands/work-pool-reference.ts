import type { MillraceClient } from '@millrace/client/client.ts'
import type { WorkPoolResponse } from '@millrace/contracts/work-pool.ts'
import { findItem } from '../find-item.ts'

export const findWorkPool = (client: MillraceClient, name: string): Promise<WorkPoolResponse> =>
  findItem({ noun: 'Work pool', name, list: 'work-pool ls' }, () => client.workPools.read(name))
