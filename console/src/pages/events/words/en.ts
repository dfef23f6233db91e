const en = {
  help: 'What the app sees in the feed of the store, with a token of its own. The newest 200 are shown.',
  type: 'Type',
  since: 'Since',
  periods: { '1': 'an hour ago', '24': 'yesterday', '168': 'a week ago', '720': '30 days ago' },
  live: 'Live',
  connected: 'Waiting for events…',
  empty: 'Nothing has happened',
  emptyHelp: 'Choose an earlier time or another type, or change something in the store: it appears here at once.',
  event: 'Event',
  resource: 'Resource',
  changed: 'Changed fields',
  by: 'By',
  nobody: 'nobody: SQL, or an app that is gone',
  time: 'Time',
  position: 'Place in the feed',
  id: 'Id',
  previous: 'Before',
  data: 'Data, as it is now',
  copy: 'Copy as JSON',
}

export type EventWords = typeof en
export default en
