/** One address for each host of `postgresql://user@one:5432,two:5432/name`. The service uses the one that accepts writes. */
export const addressesOf = (url: string): string[] => {
  const [, start = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const end = rest.replace(/([?&])target_session_attrs=[^&#]*&?/, '$1').replace(/[?&](?=#|$)/, '')
  return hosts.split(',').map((host) => start + host + end)
}
