import type { CompoundTrigger, SequenceTrigger } from '@millrace/contracts/trigger.ts'
import { statement, type Tx } from '../storage/database.ts'
import type { Row } from '../storage/tables.ts'
import type { RegisteredTrigger } from './loaded-automations.ts'
import { type ChildFiring, type CompositeStep, evaluateCompound, evaluateSequence } from './triggers/composite.ts'

type ChildRow = Row<'automation_child_firing'>

const byParents = statement((dialect) => `select * from automation_child_firing where ${dialect.inList('parent_trigger_id', '$1', 'uuid')}`)
const removeByParents = statement((dialect) => `delete from automation_child_firing where ${dialect.inList('parent_trigger_id', '$1', 'uuid')}`)

/** The child firings of compound and sequence triggers. Few of them fire in a step, so each trigger's firings are read on first use. */
export class ChildFiringBuffer {
  readonly #tx: Tx
  readonly #firings = new Map<string, readonly ChildFiring[]>()
  readonly #parents = new Map<string, RegisteredTrigger>()

  constructor(tx: Tx) {
    this.#tx = tx
  }

  async evaluate(parent: RegisteredTrigger<CompoundTrigger | SequenceTrigger>, firing: ChildFiring): Promise<CompositeStep> {
    const { trigger } = parent
    const stored = this.#firings.get(trigger.id) ?? (await this.#read(trigger.id))
    const step = trigger.type === 'compound' ? evaluateCompound(trigger, stored, firing) : evaluateSequence(trigger, stored, firing)
    if (step.firings !== stored) {
      this.#firings.set(trigger.id, step.firings)
      this.#parents.set(trigger.id, parent)
    }
    return step
  }

  async #read(parentId: string): Promise<ChildFiring[]> {
    const rows = await this.#tx.all<ChildRow>(byParents, [this.#tx.dialect.list([parentId])])
    return rows.map(toChildFiring).sort((a, b) => a.at - b.at || a.position - b.position)
  }

  /** Replaces all rows of a changed trigger: there is at most one per child. */
  async write(): Promise<void> {
    const ids = [...this.#parents.keys()]
    if (ids.length === 0) return
    await this.#tx.run(removeByParents, [this.#tx.dialect.list(ids)])
    await this.#tx.insert(
      'automation_child_firing',
      [...this.#parents].flatMap(([parentId, { automation }]) =>
        (this.#firings.get(parentId) ?? []).map((child) => ({
          slot: `${parentId}/${child.triggerId}`,
          automation_id: automation.id,
          parent_trigger_id: parentId,
          child_trigger_id: child.triggerId,
          fired: child.at,
          log_position: child.position,
          firing: child.text,
        })),
      ),
    )
  }
}

function toChildFiring(row: ChildRow): ChildFiring {
  const { id } = JSON.parse(row.firing) as { id: string }
  return { id, triggerId: row.child_trigger_id, at: row.fired, position: row.log_position, text: row.firing }
}
