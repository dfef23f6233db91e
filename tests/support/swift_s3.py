"""OpenStack Swift in one process and one folder: storage servers, proxy and its S3 interface. Prints its port."""
import os
import sys

import eventlet

eventlet.monkey_patch()

import eventlet.wsgi
from swift.common.ring import RingBuilder
from swift.common.wsgi import SwiftHttpProtocol, loadapp

STORAGE = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
fallocate_reserve = 0
log_address = {folder}/no-log
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""

PROXY = """
[DEFAULT]
swift_dir = {folder}
log_address = {folder}/no-log
[pipeline:main]
pipeline = catch_errors gatekeeper cache s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


def save_ring(folder, name, port):
    builder = RingBuilder(4, 1, 0)
    address = dict(ip='127.0.0.1', port=port, replication_ip='127.0.0.1', replication_port=port)
    builder.add_dev(dict(id=0, region=1, zone=1, device='d1', weight=1, meta='', **address))
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, name + '.ring.gz'))


def serve(folder, name, socket, config):
    path = os.path.join(folder, name + '.conf')
    with open(path, 'w') as file:
        file.write(config.format(folder=folder, name=name))
    log = open(os.devnull, 'w')
    return eventlet.spawn(eventlet.wsgi.server, socket, loadapp(path), log, protocol=SwiftHttpProtocol)


folder = sys.argv[1]
os.makedirs(os.path.join(folder, 'devices', 'd1'))
servers = []
for name in ('account', 'container', 'object'):
    socket = eventlet.listen(('127.0.0.1', 0))
    save_ring(folder, name, socket.getsockname()[1])
    servers.append(serve(folder, name, socket, STORAGE))
socket = eventlet.listen(('127.0.0.1', 0))
servers.append(serve(folder, 'proxy', socket, PROXY))
print(socket.getsockname()[1], flush=True)
servers[-1].wait()
