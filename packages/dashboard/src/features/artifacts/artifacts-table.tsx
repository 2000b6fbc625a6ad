import type { Artifact } from '@millrace/contracts/artifact.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'

type Listed = Pick<Artifact, 'id' | 'key' | 'type' | 'description' | 'updated'>

export function ArtifactsTable({ artifacts }: { readonly artifacts: UseQueryResult<Listed[]> }) {
  return (
    <QueryView query={artifacts}>
      {(found) =>
        found.length === 0 ? (
          <EmptyState title="No artifacts" command="create_markdown_artifact('# Done', key='report')">
            Runs leave tables, links, images and notes here.
          </EmptyState>
        ) : (
          <Table
            label="Artifacts"
            rows={found}
            rowKey={({ id }) => id}
            columns={[
              { header: 'Key', cell: ({ key }) => key ?? <span className="text-faint">–</span>, className: 'font-medium' },
              { header: 'Type', cell: ({ type }) => type },
              { header: 'About', cell: ({ description }) => <span className="text-soft">{description}</span> },
              { header: 'Updated', cell: ({ updated }) => <TimeText time={updated} show="relative" />, end: true },
            ]}
          />
        )
      }
    </QueryView>
  )
}
