import { useQuery } from '@tanstack/react-query'
import { automationsQuery } from '../../api/automations.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TagList } from '../../ui/tag-list.tsx'
import { ListPage } from '../list-page.tsx'

export function AutomationsPage() {
  return (
    <ListPage
      title="Automations"
      query={useQuery(automationsQuery())}
      rowKey={({ id }) => id}
      columns={[
        { header: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
        { header: 'About', cell: ({ description }) => <span className="text-soft">{description}</span>, className: 'hidden md:table-cell' },
        { header: 'Tags', cell: ({ tags }) => <TagList tags={tags} />, className: 'hidden lg:table-cell' },
        { header: 'Does', cell: ({ actions }) => actions.map(({ type }) => type).join(', ') },
        { header: 'State', cell: ({ enabled }) => (enabled ? 'On' : 'Off'), end: true },
      ]}
      empty={
        <EmptyState title="No automations" command="prefect automation create --from-file automation.yaml">
          An automation waits for events, or for their absence, and acts.
        </EmptyState>
      }
    />
  )
}
