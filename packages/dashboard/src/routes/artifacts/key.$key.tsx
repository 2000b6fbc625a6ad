import { createFileRoute } from '@tanstack/react-router'
import { ArtifactKeyPage } from '../../features/artifacts/artifact-key-page.tsx'
import { onlyValid, readString } from '../../search-params.ts'

export const Route = createFileRoute('/artifacts/key/$key')({
  validateSearch: onlyValid((params): { version?: string | undefined } => ({ version: readString(params.version) })),
  component: ArtifactKey,
})

function ArtifactKey() {
  const { key } = Route.useParams()
  const { version } = Route.useSearch()
  const navigate = Route.useNavigate()
  return (
    <ArtifactKeyPage key={key} artifactKey={key} version={version} onVersion={(next) => navigate({ search: { version: next }, replace: true })} />
  )
}
