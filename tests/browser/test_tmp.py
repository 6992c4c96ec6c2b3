import pytest, json
from gemserver.lib import clock
from tests.browser.tables import DEAL, deal, sign_in
from tests.builders import is_asked, make_match, play_until
pytestmark = pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("n", [1,2])
def test_x(window, live_server, ana, ben, capsys, n):
    match = make_match("florentine", [ana, ben], server_part=DEAL, now=clock.now())
    match = play_until(match, is_asked(ana), now=clock.now())
    sign_in(window, ana, live_server)
    page = window.new_page()
    if n == 1: page.goto("/rules/florentine/")
    session = window.new_cdp_session(page)
    session.send("Network.enable")
    slow = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 94_000}
    session.send("Network.emulateNetworkConditions", slow)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(match.get_absolute_url(), wait_until="commit")
    page.wait_for_selector(".on-board a.next", state="attached")
    after = page.evaluate("performance.now()")
    page.wait_for_load_state("load")
    r = page.evaluate("""JSON.stringify([...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map(e=>[e.name.split("/").slice(3).join("/"), Math.round(e.startTime), Math.round(e.requestStart), Math.round(e.responseStart), Math.round(e.responseEnd), e.transferSize, e.decodedBodySize, Math.round(e.domInteractive||0), Math.round(e.domContentLoadedEventEnd||0)]))""")
    with capsys.disabled():
        print("AFTER", round(after))
        for line in json.loads(r): print(line)
