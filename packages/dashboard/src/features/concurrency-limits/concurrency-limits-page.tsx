import { useQuery } from '@tanstack/react-query'
import { concurrencyLimitsQuery } from '../../api/concurrency-limits.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ListPage } from '../list-page.tsx'
import { Slots } from '../work-pools/slots.tsx'

export function ConcurrencyLimitsPage() {
  return (
    <ListPage
      title="Concurrency"
      query={useQuery(concurrencyLimitsQuery())}
      rowKey={({ id }) => id}
      columns={[
        { header: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { header: 'Slots', cell: ({ active_slots, limit }) => <Slots used={active_slots} limit={limit} /> },
        {
          header: 'Frees',
          cell: ({ slot_decay_per_second }) => (slot_decay_per_second > 0 ? `${slot_decay_per_second} slots a second` : 'when released'),
          className: 'hidden md:table-cell',
        },
        { header: 'State', cell: ({ active }) => (active ? 'On' : 'Off'), end: true },
      ]}
      empty={
        <EmptyState title="No limits" command="prefect gcl create database --limit 5">
          A limit lets only so many tasks or runs at a time do a thing.
        </EmptyState>
      }
    />
  )
}
