import { createFileRoute } from '@tanstack/react-router'
import { ArtifactPage } from '../../features/artifacts/artifact-page.tsx'

export const Route = createFileRoute('/artifacts/artifact/$id')({ component: Artifact })

function Artifact() {
  const { id } = Route.useParams()
  return <ArtifactPage key={id} id={id} />
}
