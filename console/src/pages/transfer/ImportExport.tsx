import { Download, FileUp } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { CsvResource } from '../../../../src/resources/bulk/csv/read.ts'
import { useStore } from '../../api/store.tsx'
import { Button } from '../../components/Button.tsx'
import { apiQuery } from '../../components/list-query.ts'
import { loadable } from '../../components/loadable.tsx'
import { useAddress } from '../../components/useAddress.ts'
import { useMessages } from '../../messages/messages.ts'

const ExportDialog = loadable(() => import('./ExportDialog.tsx'))

/** The buttons of a list. */
export const ImportExport = ({ resource, parameters }: { resource: CsvResource; parameters: readonly string[] }) => {
  const { controls } = useMessages()
  const { store, can } = useStore()
  const { params } = useAddress()
  const [, navigate] = useLocation()
  const [exporting, setExporting] = useState(false)
  return (
    <>
      {can(`${resource}:create`) && can(`${resource}:update`) && (
        <Button icon={<FileUp />} onClick={() => navigate(`/s/${store.id}/import?resource=${resource}`)}>
          {controls.import}
        </Button>
      )}
      <Button icon={<Download />} onClick={() => setExporting(true)}>
        {controls.export}
      </Button>
      {exporting && (
        <ExportDialog
          resource={resource}
          query={apiQuery(params, [...parameters, 'search', 'order_by', 'order_direction'])}
          onClose={() => setExporting(false)}
        />
      )}
    </>
  )
}
