import { useQuery } from '@tanstack/react-query'
import { blocksQuery } from '../../api/blocks.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ListPage } from '../list-page.tsx'

export function BlocksPage() {
  return (
    <ListPage
      title="Blocks"
      query={useQuery(blocksQuery())}
      rowKey={({ id }) => id}
      columns={[
        { header: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { header: 'Type', cell: ({ block_type, block_type_name }) => block_type_name ?? block_type?.name },
        { header: 'Updated', cell: ({ updated }) => <TimeText time={updated} show="relative" />, end: true },
      ]}
      empty={
        <EmptyState title="No blocks" command="prefect block register -m prefect.blocks.system">
          Blocks hold the settings and secrets that flows and workers share.
        </EmptyState>
      }
    />
  )
}
