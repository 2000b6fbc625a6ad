import type { Artifact } from '@millrace/contracts/artifact.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { parseLinkData } from './parse-artifact-data.ts'

type Listed = Pick<Artifact, 'id' | 'key' | 'type' | 'description' | 'data' | 'updated'>

interface ArtifactsTableProps {
  readonly artifacts: UseQueryResult<Listed[]>
  /** Each row is a key with all its versions. */
  readonly byKey?: boolean
  /** Shown without rows. */
  readonly empty?: ReactNode
}

export function ArtifactsTable({ artifacts, byKey = false, empty }: ArtifactsTableProps) {
  return (
    <QueryView query={artifacts}>
      {(found) =>
        found.length === 0 ? (
          (empty ?? (
            <EmptyState title="No artifacts yet" command="create_markdown_artifact('# Done', key='report')">
              Flows create artifacts: tables, links, images and notes.
            </EmptyState>
          ))
        ) : (
          <Table
            label="Artifacts"
            rows={found}
            rowKey={({ id }) => id}
            columns={[
              { header: 'Key', cell: (artifact) => <ArtifactLink artifact={artifact} byKey={byKey} />, className: 'font-medium' },
              { header: 'Type', cell: ({ type }) => <span className="whitespace-nowrap text-soft">{type}</span> },
              {
                header: 'Description',
                cell: (artifact) => <ArtifactSummary artifact={artifact} />,
                className: 'w-full max-w-0 hidden sm:table-cell',
              },
              { header: 'Updated', cell: ({ updated }) => <TimeText time={updated} show="relative" className="text-soft" />, alignEnd: true },
            ]}
          />
        )
      }
    </QueryView>
  )
}

function ArtifactLink({ artifact: { id, key }, byKey }: { readonly artifact: Listed; readonly byKey: boolean }) {
  return byKey && key ? (
    <Link to="/artifacts/key/$key" params={{ key }} className="quiet-link whitespace-nowrap">
      {key}
    </Link>
  ) : (
    <Link to="/artifacts/artifact/$id" params={{ id }} className="quiet-link whitespace-nowrap">
      {key || '(no key)'}
    </Link>
  )
}

/** Description of an artifact, or the start of its data. */
function ArtifactSummary({ artifact }: { readonly artifact: Listed }) {
  const { type, description, data, key } = artifact
  if (type === 'progress' && Number.isFinite(Number(data))) {
    return (
      <div className="max-w-60">
        <ProgressBar label={`Progress of ${key ?? 'it'}`} percent={Number(data)} />
      </div>
    )
  }
  const text = description || (type === 'link' ? parseLinkData(data)?.text : typeof data === 'string' && !data.startsWith('data:') ? data : '') || ''
  return <span className="block truncate text-soft">{text.slice(0, summaryCharactersMax)}</span>
}

const summaryCharactersMax = 300
