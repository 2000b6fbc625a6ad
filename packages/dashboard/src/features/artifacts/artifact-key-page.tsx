import type { Artifact } from '@millrace/contracts/artifact.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { artifactsQuery } from '../../api/artifacts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { QueryView } from '../query-view.tsx'
import { FlowRunLink } from './artifact-facts.tsx'
import { ArtifactDetails } from './artifact-view.tsx'
import { DeleteArtifact } from './delete-artifact.tsx'

/** Page limit of the server. */
const versionsMax = 200

interface ArtifactKeyPageProps {
  readonly artifactKey: string
  /** Id of the open version. Undefined for the latest. */
  readonly version: string | undefined
  onVersion(id: string | undefined): Promise<void>
}

/** All versions of a key, with the selected one open. */
export function ArtifactKeyPage({ artifactKey, version, onVersion }: ArtifactKeyPageProps) {
  const query = useQuery(artifactsQuery({ artifacts: { key: { any_: [artifactKey] } }, sort: 'CREATED_DESC', limit: versionsMax }))
  const shown = query.data?.find(({ id }) => id === version) ?? query.data?.[0]
  return (
    <Page
      title={artifactKey}
      crumbs={[{ label: 'Artifacts', to: '/artifacts' }]}
      actions={shown && <DeleteArtifact artifact={shown} onDeleted={() => onVersion(undefined)} />}
    >
      <QueryView query={query}>
        {(versions) =>
          shown ? (
            <div className="flex flex-col gap-6 lg:flex-row">
              <ArtifactDetails key={shown.id} artifact={shown} />
              <Versions versions={versions} shown={shown} />
            </div>
          ) : (
            <EmptyState title="No artifact with this key" command={`create_markdown_artifact('# Done', key='${artifactKey}')`}>
              The artifact may have been deleted.
            </EmptyState>
          )
        }
      </QueryView>
    </Page>
  )
}

function Versions({ versions, shown }: { readonly versions: readonly Artifact[]; readonly shown: Artifact }) {
  return (
    <Panel
      title="Versions"
      aside={<span className="text-faint text-sm">{versions.length === versionsMax ? `latest ${versionsMax}` : versions.length}</span>}
      className="h-fit shrink-0 lg:w-72"
    >
      <ol className="max-h-[60dvh] overflow-y-auto p-1">
        {versions.map((each, index) => (
          <li key={each.id} className={`flex items-center gap-2 rounded-sm px-2 py-1.5 ${each.id === shown.id ? 'bg-wash' : ''}`}>
            <Link
              to="/artifacts/key/$key"
              params={{ key: each.key ?? '' }}
              search={index === 0 ? {} : { version: each.id }}
              replace
              aria-current={each.id === shown.id ? 'true' : undefined}
              className="quiet-link min-w-0 flex-1 font-medium"
            >
              <TimeText time={each.created} show="minute" />
              {index === 0 && <span className="ml-2 font-normal text-faint">latest</span>}
            </Link>
            {each.flow_run_id && (
              <span className="max-w-28 truncate text-sm">
                <FlowRunLink id={each.flow_run_id} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
