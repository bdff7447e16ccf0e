"""Checks that waitress still has the undocumented parts that the server uses."""

from __future__ import annotations

import inspect

import pytest
from waitress import buffers, channel, parser, receiver, server, task, wasyncore

METHODS = [
    (channel.HTTPChannel, "handle_close handle_read handle_write received service write_soon"),
    (channel.HTTPChannel, "_flush_some readable writable recv send"),
    (parser.HTTPRequestParser, "parse_header received close"),
    (buffers.ReadOnlyFileBasedBuffer, "prepare get skip close __len__"),
    (server.TcpWSGIServer, "accept add_task close fix_addr getsockname handle_accept pull_trigger readable"),
    (server.TcpWSGIServer, "set_socket_options"),
    (task.ThreadedTaskDispatcher, "add_task set_thread_count shutdown"),
    (task.WSGITask, "build_response_header execute finish get_environment service set_close_on_finish write"),
    (task.ErrorTask, "execute"),
]
ATTRIBUTES = [
    (wasyncore.dispatcher, "_fileno _map connected socket accepting"),
    (channel.HTTPChannel, "close_when_flushed current_outbuf_count request requests"),
    (
        channel.HTTPChannel,
        "requests_lock sendbuf_len total_outbufs_len will_close task_class error_task_class parser_class",
    ),
    (
        parser.HTTPRequestParser,
        "body_bytes_received body_rcv chunked completed error expect_continue headers",
    ),
    (receiver.ChunkedReceiver, "control_line trailer"),
    (server.TcpWSGIServer, "active_channels adj channel_class effective_port task_dispatcher"),
    (task.ThreadedTaskDispatcher, "queue"),
    (task.Task, "close_on_finish content_length response_headers start_time status version wrote_header"),
    (task.WSGITask, "environ"),
]


def rows(table):
    return [(owner, name) for owner, names in table for name in names.split()]


@pytest.mark.parametrize(("owner", "name"), rows(METHODS), ids=str)
def test_waitress_has_each_method_that_the_server_overrides_or_calls(owner, name):
    assert callable(getattr(owner, name))


@pytest.mark.parametrize(("owner", "name"), rows(ATTRIBUTES), ids=str)
def test_waitress_sets_each_attribute_that_the_server_reads(owner, name):
    source = "".join(
        inspect.getsource(base) for base in owner.__mro__ if base.__module__.startswith("waitress")
    )
    assert hasattr(owner, name) or f"self.{name} =" in source


def test_waitress_has_the_functions_that_the_server_uses():
    assert callable(wasyncore.loop)
    assert callable(parser.get_header_lines)
