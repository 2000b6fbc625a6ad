import { useQuery } from '@tanstack/react-query'
import { latestArtifactsQuery } from '../../api/artifacts.ts'
import { Page } from '../../ui/page.tsx'
import { ArtifactsTable } from './artifacts-table.tsx'

export function ArtifactsPage() {
  const artifacts = useQuery(latestArtifactsQuery({ sort: 'UPDATED_DESC' }))
  return (
    <Page title="Artifacts">
      <ArtifactsTable artifacts={artifacts} />
    </Page>
  )
}
