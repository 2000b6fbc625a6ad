import type { GlobalConcurrencyLimitResponse } from '@millrace/contracts/global-concurrency-limit.ts'
import type { LimitHolder, LimitWaiter } from '@millrace/contracts/limit-holders.ts'
import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { collectItems } from '../collect-items.ts'
import { withExamples } from '../examples.ts'
import { parseCount } from '../option-values.ts'
import { ageColumn, idColumn, nameColumn, timeColumn, wideIdColumn } from '../output/columns.ts'
import { printTableSection } from '../output/sections.ts'
import { slotColumns, statusColumn } from '../output/status-column.ts'
import type { Column } from '../output/table.ts'
import { concurrencyChangeCommands } from './concurrency-changes.ts'
import { findLimit, type LimitKind, limitArgument, limitKind } from './concurrency-reference.ts'

type Limit = GlobalConcurrencyLimitResponse

const limitStatusColumn = statusColumn<Limit>(({ active }) => (active ? 'ENABLED' : 'DISABLED'))
const limitSlotColumns = slotColumns<Limit>(({ active_slots, limit }) => ({ used: active_slots, limit }))

/** Slots of a limit with decay return by themselves, so that it limits a rate. */
const decayColumn: Column<Limit> = {
  title: 'DECAY',
  value: ({ slot_decay_per_second }) => (slot_decay_per_second > 0 ? `${slot_decay_per_second}/s` : null),
}

const listColumns: readonly Column<Limit>[] = [
  nameColumn,
  { title: 'KIND', value: ({ name }) => limitKind(name) },
  limitStatusColumn,
  ...limitSlotColumns,
  decayColumn,
  { ...ageColumn('UPDATED', ({ updated }) => updated), isWide: true },
  wideIdColumn,
]

interface LimitDetails extends Limit {
  readonly holder_count: number
  readonly waiter_count: number
}

const fields: readonly Column<LimitDetails>[] = [
  nameColumn,
  { title: 'KIND', value: ({ name }) => limitKind(name) },
  limitStatusColumn,
  ...limitSlotColumns,
  decayColumn,
  { title: 'HOLDERS', value: ({ holder_count }) => holder_count },
  { title: 'WAITERS', value: ({ waiter_count }) => waiter_count, style: ({ waiter_count }) => (waiter_count > 0 ? 'yellow' : undefined) },
  timeColumn('CREATED', ({ created }) => created),
  timeColumn('UPDATED', ({ updated }) => updated),
  idColumn,
]

const anonymous = '(anonymous)'

const holderColumns: readonly Column<LimitHolder>[] = [
  { title: 'HOLDER', value: ({ name, holder_id }) => name ?? holder_id ?? anonymous },
  { title: 'KIND', value: ({ holder_type }) => kindText(holder_type) },
  { title: 'SLOTS', value: ({ slots }) => slots, isNumber: true },
  ageColumn('SINCE', ({ since }) => since),
  ageColumn('EXPIRES', ({ expires }) => expires),
  { title: 'ID', value: ({ holder_id }) => holder_id, isWide: true, isFixed: true },
  { title: 'FLOW RUN ID', value: ({ flow_run_id }) => flow_run_id, isWide: true, isFixed: true },
]

const waiterColumns: readonly Column<LimitWaiter>[] = [
  { title: 'WAITER', value: ({ name, waiter_id }) => name ?? waiter_id },
  { title: 'KIND', value: ({ waiter_type }) => kindText(waiter_type) },
  { title: 'SLOTS', value: ({ slots }) => slots, isNumber: true },
  ageColumn('SINCE', ({ since }) => since),
  ageColumn('NEXT TRY', ({ next_try }) => next_try),
  { title: 'ID', value: ({ waiter_id }) => waiter_id, isWide: true, isFixed: true },
  { title: 'FLOW RUN ID', value: ({ flow_run_id }) => flow_run_id, isWide: true, isFixed: true },
]

const kindText = (type: string | null): string | undefined => type?.replace('_', ' ')

export function concurrencyCommands(group: Command, cli: Cli): void {
  const list = group
    .command('ls')
    .summary('List concurrency limits')
    .description('List all concurrency limits: global ones, those of tags (tag:NAME) and those of deployments (deployment:ID).')
    .addOption(new Option('--kind <kind>', 'only limits of this kind').choices(['global', 'tag', 'deployment']))
    .option('--limit <n>', 'maximum number', parseCount, 200)
    .action(async ({ kind, limit }: { kind?: LimitKind; limit: number }) => {
      const limits = await collectItems(cli, limit, (options) => listLimits(cli, kind, options.max))
      await cli.output.list(limits, listColumns, 'No concurrency limits.')
    })
  withExamples(list, ['concurrency ls'], ['concurrency ls --kind tag'])

  const inspect = group
    .command('inspect')
    .summary('Show a concurrency limit')
    .description('Show a concurrency limit, and how many hold its slots or wait for one.')
    .argument(...limitArgument)
    .action(async (reference: string) => {
      const limit = await findLimit(cli.client, reference)
      if (cli.output.isStructured) return cli.output.data(limit)
      const { holder_count, waiter_count } = await cli.client.concurrencyLimits.listHolders(limit.id)
      await cli.output.item({ ...limit, holder_count, waiter_count }, fields)
    })
  withExamples(inspect, ['concurrency inspect database'], ['concurrency inspect tag:gpu -o json'])

  const holders = group
    .command('holders')
    .summary('Show who holds the slots of a limit')
    .description('Show who holds the slots of a concurrency limit and who waits for one, longest first.')
    .argument(...limitArgument)
    .action(async (reference: string) => {
      const limit = await findLimit(cli.client, reference)
      const found = await cli.client.concurrencyLimits.listHolders(limit.id)
      if (cli.output.isStructured) return cli.output.data(found)
      cli.output.text(`${limit.active_slots} of ${limit.limit} slots in use, ${found.waiter_count} waiting`)
      await printTableSection(cli.output, sectionTitle('Holders', found.holders.length, found.holder_count), found.holders, holderColumns)
      await printTableSection(cli.output, sectionTitle('Waiters', found.waiters.length, found.waiter_count), found.waiters, waiterColumns)
    })
  withExamples(holders, ['concurrency holders database'], ['concurrency holders tag:gpu -o wide', 'with the ids of the runs'])

  concurrencyChangeCommands(group, cli)
}

/** The API has no filter by kind. */
async function* listLimits(cli: Cli, kind: LimitKind | undefined, max = Number.POSITIVE_INFINITY): AsyncGenerator<Limit> {
  let count = 0
  for await (const limit of cli.client.concurrencyLimits.listAll()) {
    if (kind !== undefined && limitKind(limit.name) !== kind) continue
    yield limit
    count += 1
    if (count >= max) return
  }
}

const sectionTitle = (title: string, shown: number, total: number): string => (shown < total ? `${title} (${shown} of ${total})` : title)
