import { createFileRoute } from '@tanstack/react-router'
import { ArtifactsPage } from '../../features/artifacts/artifacts-page.tsx'
import { readArtifactsSearch } from '../../features/artifacts/artifacts-search.ts'
import { onlyValid } from '../../search-params.ts'

export const Route = createFileRoute('/artifacts/')({ validateSearch: onlyValid(readArtifactsSearch), component: Artifacts })

function Artifacts() {
  return <ArtifactsPage search={Route.useSearch()} />
}
