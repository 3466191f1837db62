# pytest-lsp starts checkalloc lsp as each of three editors does, with all that the editor says it can show, and checks
# every message against the specification. CHECKALLOC is the program; MODULE, the folder of the package to measure.
import asyncio
import os
import pathlib
import time

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

module = pathlib.Path(os.environ["MODULE"])
hang = module / "hang"
FIGURES = "106 allocs/op, 6816 B/op"


def editor():
    client = make_test_lsp_client()
    client.applied = []

    @client.feature(lsp.WORKSPACE_APPLY_EDIT)
    def apply(params: lsp.ApplyWorkspaceEditParams):
        client.applied.append(params.edit)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)(lambda params: None)
    client.feature(lsp.WORKSPACE_CODE_LENS_REFRESH)(lambda params: None)
    return client


def server(**env):
    return ClientServerConfig([os.environ["CHECKALLOC"], "lsp"], editor, {**os.environ, **env})


async def say_hello(client, name):
    result = await client.initialize_session(
        lsp.InitializeParams(
            capabilities=client_capabilities(name),
            workspace_folders=[lsp.WorkspaceFolder(uri=module.as_uri(), name="label")],
        )
    )
    for name in ["label.go", "label_test.go"]:
        text = (module / name).read_text()
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri(name), "go", version=1, text=text))
        )
    return result


@pytest_lsp.fixture(params=["neovim", "visual-studio-code", "emacs"], config=server())
async def client(client: LanguageClient, request):
    client.hello = await say_hello(client, request.param)
    yield
    await client.shutdown_session()


@pytest_lsp.fixture(config=server(HANG=str(hang)))
async def hanging(client: LanguageClient):
    await say_hello(client, "neovim")
    yield
    await client.shutdown_session()


def uri(name):
    return (module / name).as_uri()


def document(name):
    return lsp.TextDocumentIdentifier(uri(name))


def lines(first, last):
    return lsp.Range(lsp.Position(first - 1, 0), lsp.Position(last - 1, 0))


def measure():
    return lsp.ExecuteCommandParams("checkalloc.measure", [{"uri": uri("label.go")}])


def edit(client, name, at, text):
    change = lsp.TextDocumentContentChangePartial(at, text)
    identifier = lsp.VersionedTextDocumentIdentifier(version=2, uri=uri(name))
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))


async def hints(client):
    params = lsp.InlayHintParams(document("label.go"), lines(1, 100))
    found = await client.text_document_inlay_hint_async(params)
    return [f"{hint.position.line + 1}: {hint.label}" for hint in found]


async def lenses(client):
    found = await client.text_document_code_lens_async(lsp.CodeLensParams(document("label_test.go")))
    return [lens.command for lens in found]


async def titles(client):
    return [command.title for command in await lenses(client)]


async def actions(client, name, line, kind):
    context = lsp.CodeActionContext(diagnostics=[], only=[kind])
    return await client.text_document_code_action_async(
        lsp.CodeActionParams(document(name), lines(line, line), context)
    )


@pytest.mark.asyncio
async def test_package(client: LanguageClient):
    offered = client.hello.capabilities.execute_command_provider.commands
    assert list(offered) == ["checkalloc.measure", "checkalloc.suggest", "checkalloc.hold", "checkalloc.profile"]

    # Nothing is measured because a file is open.
    assert await hints(client) == []
    assert await titles(client) == ["measure", "suggest"]
    assert client.progress_reports == {}

    # The lens measures.
    command = (await lenses(client))[0]
    await client.workspace_execute_command_async(lsp.ExecuteCommandParams(command.command, command.arguments))
    [reports] = client.progress_reports.values()
    assert reports[0].kind == "begin" and reports[-1].kind == "end"
    assert reports[-1].message == "1 benchmark of example.com/label was measured"
    assert await hints(client) == ["8: 106 allocs/op · 6816 B"]
    assert await titles(client) == [FIGURES + " · measure", "suggest", "hold this budget"]
    hover = await client.text_document_hover_async(lsp.HoverParams(document("label.go"), lsp.Position(7, 4)))
    assert hover.contents.kind == lsp.MarkupKind.Markdown
    assert "the array that append grows moves to the heap" in hover.contents.value
    assert f"({uri('label.go')}#L8)" in hover.contents.value

    # The other lens asks the editor to insert a budget, and a code action has the same edit.
    command = (await lenses(client))[2]
    await client.workspace_execute_command_async(lsp.ExecuteCommandParams(command.command, command.arguments))
    [action] = await actions(client, "label_test.go", 18, "refactor")
    assert client.applied == [action.edit]
    assert action.title == "Hold this budget: //checkalloc:allocs<=106 bytes<=6816"
    named = [action.title for action in await actions(client, "label.go", 1, "source")]
    assert named == ["Measure the allocations of this package", "Suggest edits to this package that allocate less"]

    # A budget that does not hold is a diagnostic.
    edit(client, "label_test.go", lines(18, 18), "//\n//checkalloc:allocs<=1\n")
    await hints(client)
    [over] = client.diagnostics[uri("label_test.go")]
    assert over.message == "BenchmarkLabels: 106 allocs/op, budget allocs<=1"
    assert over.range.start.line + 1 == 19 and over.source == "checkalloc"
    can_show = client.capabilities.text_document.publish_diagnostics.related_information
    assert bool(over.related_information) == bool(can_show)

    # An edit makes the figures stale, and their lines follow the text.
    edit(client, "label.go", lines(1, 1), "// Package label writes labels.\n")
    assert await hints(client) == ["9: 106 allocs/op · 6816 B (stale)"]
    assert (await titles(client))[0] == FIGURES + " (stale: label.go has changed since) · measure"
    edit(client, "label.go", lines(1, 2), "")
    assert await hints(client) == ["8: 106 allocs/op · 6816 B"]

    # A package that does not build keeps its figures, and the answer says why.
    edit(client, "label.go", lines(6, 7), "\tall := undefined\n")
    with pytest.raises(JsonRpcException, match="label.go:6: undefined: undefined"):
        await client.workspace_execute_command_async(measure())
    assert await hints(client) == ["8: 106 allocs/op · 6816 B (stale)"]


@pytest.mark.asyncio
async def test_cancel(hanging: LanguageClient):
    request = asyncio.ensure_future(
        hanging.protocol.send_request_async(lsp.WORKSPACE_EXECUTE_COMMAND, measure(), msg_id="a measurement")
    )
    benchmark = await begun()
    hanging.cancel_request(lsp.CancelParams(id="a measurement"))
    with pytest.raises(JsonRpcException) as refused:
        await request
    assert refused.value.code == lsp.LSPErrorCodes.RequestCancelled
    assert not pathlib.Path(f"/proc/{benchmark}").exists()


async def begun():
    """Waits until the benchmark has begun, which then hangs, and returns its process."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if hang.exists() and (pid := hang.read_text()):
            hang.unlink()
            return pid
        await asyncio.sleep(0.01)
    raise TimeoutError("the benchmark does not begin")
