import { createFileRoute } from '@tanstack/react-router'
import { ArtifactsPage } from '../../features/artifacts/artifacts-page.tsx'

export const Route = createFileRoute('/artifacts/')({ component: ArtifactsPage })
