import { ApiError, UnauthorizedError, UnavailableError } from '@millrace/client/errors.ts'
import { CommandError } from '../errors.ts'
import type { Item } from './json-value.ts'
import type { FollowUp, Kind } from './kind.ts'
import type { CreateStep, DeleteStep, Plan, Step, UpdateStep } from './plan.ts'
import type { ServerState } from './server-state.ts'

/** Requests at the same time, within a kind. */
const concurrency = 8

/**
 * Applies a plan and records the outcome in its steps. A step that the server rejects does not stop those that do not need it. Throws if the
 * server cannot be reached or fails; the steps tell what was done.
 */
export async function applyPlan(server: ServerState, plan: Plan, onStep: () => void): Promise<void> {
  const runner = new PlanRunner(server, onStep)
  try {
    const written = plan.steps.filter((step) => step.action !== 'delete')
    for (const kind of new Set(written.map(({ kind }) => kind))) {
      await runner.write(
        kind,
        written.filter((step) => step.kind === kind),
        plan.wanted.get(kind) ?? [],
      )
    }
    await runner.runFollowUps()
    // Something may still need an item that is to be deleted.
    if (!plan.steps.some(({ status }) => status === 'failed')) for (const step of plan.steps) if (step.action === 'delete') await runner.remove(step)
  } finally {
    for (const step of plan.steps) if (step.status === 'planned') step.status = 'skipped'
  }
}

class PlanRunner {
  readonly #server: ServerState
  readonly #onStep: () => void
  #followUps: { readonly step: Step; readonly run: FollowUp }[] = []

  constructor(server: ServerState, onStep: () => void) {
    this.#server = server
    this.#onStep = onStep
  }

  async write(kind: Kind, steps: readonly (CreateStep | UpdateStep)[], wanted: readonly Item[]): Promise<void> {
    const byItem = new Map(steps.map((step) => [step.item, step]))
    const items = steps.map(({ item }) => item)
    for (const group of kind.groupByDependency?.(items) ?? [items]) {
      await forEach(group, kind.isSequential ? 1 : concurrency, (item) => this.#writeStep(byItem.get(item) as CreateStep | UpdateStep))
    }
    const last = steps.findLast(({ status }) => status === 'done')
    if (last) await this.#run(last, async () => kind.finish?.(this.#server, wanted, items) ?? undefined)
  }

  async runFollowUps(): Promise<void> {
    for (const { step, run } of this.#followUps) await this.#run(step, run)
  }

  async remove(step: DeleteStep): Promise<void> {
    await this.#run(step, async () => step.kind.remove?.(this.#server, step.existing))
    this.#onStep()
  }

  async #writeStep(step: CreateStep | UpdateStep): Promise<void> {
    await this.#run(step, async () => {
      const { kind, item } = step
      const followUp = await (step.action === 'create'
        ? kind.create(this.#server, item)
        : kind.update(this.#server, step.existing, item, changedKeys(step)))
      if (followUp) this.#followUps.push({ step, run: followUp })
    })
    this.#onStep()
  }

  async #run(step: Step, write: () => Promise<void>): Promise<void> {
    try {
      await write()
      step.status = 'done'
    } catch (error) {
      step.status = 'failed'
      step.error = error instanceof Error ? error.message : String(error)
      if (!isRejection(error)) throw error
    }
  }
}

const changedKeys = ({ changes }: UpdateStep): ReadonlySet<string> => new Set(changes.map(({ path }) => String(path[0])))

/** Whether the server rejected this one request, so that others can succeed. */
function isRejection(error: unknown): boolean {
  if (error instanceof UnauthorizedError || error instanceof UnavailableError) return false
  return error instanceof CommandError || (error instanceof ApiError && error.status >= 400 && error.status < 500)
}

/** Runs `work` for all items, a few at a time. After an error no more items are started. */
async function forEach<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  let isStopped = false
  const run = async (): Promise<void> => {
    while (next < items.length && !isStopped) {
      const item = items[next] as T
      next += 1
      try {
        await work(item)
      } catch (error) {
        isStopped = true
        throw error
      }
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, run))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
