import type { Action } from '@millrace/contracts/action.ts'
import type { AutomationCreate, AutomationUpdate } from '@millrace/contracts/automation.ts'
import type { Received } from '@millrace/contracts/primitives.ts'
import type { Trigger } from '@millrace/contracts/trigger.ts'
import { type Fault, InvalidRequest, notFound } from '../errors.ts'
import { composeJsonText, jsonText } from '../lib/json.ts'
import { checkThenWrite } from '../storage/checked-write.ts'
import type { Tx } from '../storage/database.ts'
import type { ActingContext, ServerContext } from '../storage/server-context.ts'
import { toBoolean } from '../storage/tables.ts'
import { completeActions } from './check-actions.ts'
import { checkAddedVariables, readAddedVariables } from './check-job-variables.ts'
import { checkLoops } from './check-loops.ts'
import { completeTrigger } from './check-trigger.ts'
import { automationEvent } from './events.ts'
import {
  type AutomationRow,
  deleteAutomations,
  insertAutomation,
  lockAutomation,
  readAutomation,
  readOwnedAutomations,
  relateToDeployments,
  removeTriggerState,
  saveActor,
  setOwner,
  updateAutomation,
} from './store.ts'
import { endSuspension } from './suspension.ts'

type CreateBody = Received<typeof AutomationCreate>
type UpdateBody = Received<typeof AutomationUpdate>

export async function createAutomation(context: ActingContext, body: CreateBody): Promise<AutomationRow> {
  const { clock, newId, actor } = context
  const valid = validateBody(body, newId, body.enabled)
  const write = async (tx: Tx): Promise<AutomationRow> => {
    const now = clock.now()
    const row: AutomationRow = {
      id: newId(),
      created: now,
      updated: now,
      name: body.name,
      description: body.description,
      enabled: body.enabled,
      tags: jsonText(body.tags),
      trigger: JSON.stringify(valid.trigger),
      actions: composeJsonText(valid.actions),
      actions_on_trigger: composeJsonText(valid.actions_on_trigger),
      actions_on_resolve: composeJsonText(valid.actions_on_resolve),
      active_since: now,
    }
    await insertAutomation(tx, row)
    await saveActor(tx, row.id, actor)
    await relateToDeployments(tx, row.id, deploymentIdsOf(valid.actions))
    if (body.owner_resource) await setOwner(tx, row.id, body.owner_resource)
    tx.emit(automationEvent('created', row, newId(), now))
    return row
  }
  return checkThenWrite(context, {
    read: (db) => readAddedVariables(db, valid.actions, { emptyToo: false }),
    check: (added) => checkAddedVariables(context, added),
    write,
  })
}

/** Replaces the trigger and the actions. Other fields keep their value when the body omits them. The counts of the old trigger are deleted. */
export async function changeAutomation(context: ActingContext, id: string, body: UpdateBody): Promise<void> {
  const { clock, newId, actor } = context
  const valid = validateBody(body, newId, body.enabled ?? true)
  const write = async (tx: Tx): Promise<void> => {
    const before = await lockAutomation(tx, id)
    if (!before) throw notFound('Automation')
    const now = clock.now()
    const row: AutomationRow = {
      ...before,
      updated: now,
      name: body.name,
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
      ...(body.tags === undefined ? {} : { tags: jsonText(body.tags) }),
      trigger: JSON.stringify(valid.trigger),
      actions: composeJsonText(valid.actions),
      ...(body.actions_on_trigger === undefined ? {} : { actions_on_trigger: composeJsonText(valid.actions_on_trigger) }),
      ...(body.actions_on_resolve === undefined ? {} : { actions_on_resolve: composeJsonText(valid.actions_on_resolve) }),
      active_since: now,
    }
    await endSuspension(tx, row, now, newId)
    await updateAutomation(tx, row)
    await saveActor(tx, id, actor)
    await removeTriggerState(tx, [id])
    await relateToDeployments(tx, id, deploymentIdsOf(valid.actions))
    tx.emit(automationEvent('updated', row, newId(), now))
  }
  return checkThenWrite(context, {
    async read(db) {
      if (!(await readAutomation(db, id))) throw notFound('Automation')
      return readAddedVariables(db, valid.actions, { emptyToo: true })
    },
    check: (added) => checkAddedVariables(context, added),
    write,
  })
}

/** Enables or disables an automation. Events before the change do not count. Without `enabled` only `updated` changes. */
export const setAutomationEnabled =
  ({ clock, newId }: ServerContext, id: string, enabled: boolean | undefined) =>
  async (tx: Tx): Promise<void> => {
    const before = await lockAutomation(tx, id)
    if (!before) throw notFound('Automation')
    const now = clock.now()
    const row: AutomationRow = { ...before, updated: now, ...(enabled === undefined ? {} : { enabled }) }
    // The v3 API defaults `enabled` to true, so the loop check does too.
    rejectLoops({ ...row, enabled: enabled ?? true })
    // Enabling a suspended automation resumes it, although it was enabled all along.
    const resumed = enabled !== undefined && (await endSuspension(tx, row, now, newId))
    if (toBoolean(row.enabled) !== toBoolean(before.enabled) || resumed) {
      row.active_since = now
      await removeTriggerState(tx, [id])
    }
    await updateAutomation(tx, row)
    tx.emit(automationEvent('updated', row, newId(), now))
  }

export const removeAutomation =
  ({ clock, newId }: ServerContext, id: string) =>
  async (tx: Tx): Promise<void> => {
    const row = await lockAutomation(tx, id)
    if (!row) throw notFound('Automation')
    await deleteAutomations(tx, [id])
    tx.emit(automationEvent('deleted', row, newId(), clock.now()))
  }

/** Deletes the automations that a resource owns. As in the reference, they emit no event of their own. */
export const removeOwnedAutomations =
  ({ clock }: ServerContext, resourceId: string) =>
  async (tx: Tx): Promise<void> => {
    const rows = await readOwnedAutomations(tx, resourceId, clock.now())
    if (rows.length === 0) return
    await deleteAutomations(
      tx,
      rows.map(({ id }) => id),
    )
  }

interface ValidAutomation {
  readonly trigger: Trigger
  readonly actions: Action[]
  readonly actions_on_trigger: Action[]
  readonly actions_on_resolve: Action[]
}

/** Returns the normalized trigger and actions, or throws with all faults of the request. */
function validateBody(body: CreateBody | UpdateBody, newId: () => string, enabled: boolean): ValidAutomation {
  const faults: Fault[] = []
  const trigger = completeTrigger(body.trigger, newId, ['body', 'trigger'], faults)
  const actions = completeActions(body.actions as Action[], ['body', 'actions'], faults)
  const actions_on_trigger = completeActions((body.actions_on_trigger ?? []) as Action[], ['body', 'actions_on_trigger'], faults)
  const actions_on_resolve = completeActions((body.actions_on_resolve ?? []) as Action[], ['body', 'actions_on_resolve'], faults)
  checkLoops({ enabled, trigger, actions }, ['body'], faults)
  if (faults.length > 0) throw new InvalidRequest(faults)
  return { trigger, actions, actions_on_trigger, actions_on_resolve }
}

function rejectLoops(row: AutomationRow): void {
  const faults: Fault[] = []
  checkLoops(
    { enabled: toBoolean(row.enabled), trigger: JSON.parse(row.trigger) as Trigger, actions: JSON.parse(row.actions) as Action[] },
    // The fault is in the stored automation, not in a field of the request.
    [],
    faults,
  )
  if (faults.length > 0) throw new InvalidRequest(faults)
}

const deploymentIdsOf = (actions: readonly Action[]): string[] =>
  actions.flatMap((action) =>
    action.type === 'run-deployment' && action.source === 'selected' && action.deployment_id ? [action.deployment_id] : [],
  )
