import { createFileRoute } from '@tanstack/react-router'
import { BlocksPage } from '../../features/blocks/blocks-page.tsx'

export const Route = createFileRoute('/blocks/')({ component: BlocksPage })
