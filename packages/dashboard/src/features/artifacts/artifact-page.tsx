import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { artifactQuery } from '../../api/artifacts.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../query-view.tsx'
import { ArtifactDetails } from './artifact-view.tsx'
import { DeleteArtifact } from './delete-artifact.tsx'

/** One artifact by id: a version of a key, or an artifact without a key. */
export function ArtifactPage({ id }: { readonly id: string }) {
  const navigate = useNavigate()
  const query = useQuery(artifactQuery(id))
  const artifact = query.data
  const onDeleted = () =>
    navigate(
      artifact?.flow_run_id
        ? { to: '/runs/flow-run/$id', params: { id: artifact.flow_run_id }, search: { tab: 'artifacts' } }
        : { to: '/artifacts', search: {} },
    )
  return (
    <Page
      title={artifact ? (artifact.key ?? artifact.type ?? 'Artifact') : 'Artifact'}
      crumbs={[{ label: 'Artifacts', to: '/artifacts' }]}
      actions={
        artifact && (
          <>
            {artifact.key && (
              <Link to="/artifacts/key/$key" params={{ key: artifact.key }} className={buttonClass('plain')}>
                All versions
              </Link>
            )}
            <DeleteArtifact artifact={artifact} onDeleted={onDeleted} />
          </>
        )
      }
    >
      <QueryView query={query}>{(found) => <ArtifactDetails artifact={found} />}</QueryView>
    </Page>
  )
}
