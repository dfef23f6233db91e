const en = {
  what: 'What to change',
  changes: { paid: 'Mark as paid', archive: 'Archive', unarchive: 'Unarchive' },
  onlyUnpaid: 'Cancelled and abandoned orders stay as they are.',
  inList: 'In the list',
}
export type BulkWords = typeof en
export default en
