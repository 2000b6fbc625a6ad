import { useQuery } from '@tanstack/react-query'
import { variablesQuery } from '../../api/variables.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { ListPage } from '../list-page.tsx'

export function VariablesPage() {
  return (
    <ListPage
      title="Variables"
      query={useQuery(variablesQuery())}
      rowKey={({ id }) => id}
      columns={[
        { header: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { header: 'Value', cell: ({ value }) => <code className="font-mono text-sm">{JSON.stringify(value)}</code> },
        { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden md:table-cell' },
        { header: 'Updated', cell: ({ updated }) => <TimeText time={updated} show="relative" />, end: true },
      ]}
      empty={
        <EmptyState title="No variables" command="prefect variable set answer 42">
          Small values that flows read when they run.
        </EmptyState>
      }
    />
  )
}
