"""Each story in a world of its own. A story more in stories.py is a test more here."""

import unittest

from florin import connect
from stories import STORIES


class Stories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.florin = connect()


def test_of(story):
    def test(self):
        with self.florin.world(seed=story.__name__) as world:
            story(world)
            self.assertEqual(world.get("/v2/sandbox/invariants").json["verdict"], "holds")

    return test


for story in STORIES:
    setattr(Stories, "test_" + story.__name__, test_of(story))

if __name__ == "__main__":
    unittest.main()
